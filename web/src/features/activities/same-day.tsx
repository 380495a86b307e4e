import { useDeferredValue } from 'react'
import { TextButton } from '#components/button.tsx'
import { Mark } from '#components/mark.tsx'
import { activities, activityForm } from '#lib/messages.ts'
import type { Actividad } from './api.ts'
import styles from './same-day.module.css'

type SameDayProps = {
  planned: readonly Actividad[] | undefined
  onShow: (actividad: Actividad) => void
}

/** As many as are in sight before the list scrolls, and one. */
const IN_SIGHT = 5

/** What the chosen day already holds, each with the way to it in the list. What is out of sight comes after the dialog. */
export function SameDay({ planned, onShow }: SameDayProps) {
  const shown = useDeferredValue(planned, planned?.slice(0, IN_SIGHT))
  if (!shown) return null
  return (
    <div className={styles.day}>
      <p className={styles.title}>{activityForm.sameDay}</p>
      <ul className={styles.list}>
        {shown.map((actividad) => (
          <li key={actividad.id} className={styles.plan}>
            <Mark estado={actividad.estado} />
            <TextButton onClick={() => onShow(actividad)}>{actividad.titulo}</TextButton>
            <span className="sr-only">{activities.status[actividad.estado]}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
