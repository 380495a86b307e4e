import type { Estado } from '#lib/database.ts'
import { activities } from '#lib/messages.ts'
import { Mark } from './mark.tsx'
import styles from './status-chip.module.css'

export function StatusChip({ estado }: { estado: Estado }) {
  return (
    <span className={`${styles.chip} ${styles[estado]}`}>
      <Mark estado={estado} />
      {activities.status[estado]}
    </span>
  )
}
