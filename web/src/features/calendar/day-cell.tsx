import { memo } from 'react'
import { Mark } from '#components/mark.tsx'
import type { Estado } from '#lib/database.ts'
import { dayOf, type Fecha } from '#lib/dates.ts'
import styles from './day-cell.module.css'
import { summarizeDay } from './day-summary.ts'

type DayCellProps = {
  fecha: Fecha
  day: readonly { id: string; estado: Estado }[]
  today: Fecha
  /** The grid is one stop of the tab order: this day is it. */
  stop: boolean
  onOpen: (fecha: Fecha) => void
}

export const DayCell = memo(function DayCell({ fecha, day, today, stop, onOpen }: DayCellProps) {
  const { marks, more, name } = summarizeDay(fecha, day, today)
  const when = fecha === today ? styles.today : fecha < today ? styles.past : ''
  return (
    <button
      type="button"
      className={`${styles.day} ${when}`}
      tabIndex={stop ? 0 : -1}
      data-fecha={fecha}
      aria-label={name}
      aria-current={fecha === today ? 'date' : undefined}
      onClick={() => onOpen(fecha)}
    >
      <span className={styles.number}>{dayOf(fecha)}</span>
      <span className={styles.marks} aria-hidden="true">
        {marks.map((estado, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
          <Mark key={index} estado={estado} />
        ))}
        {more > 0 ? <span className={styles.more}>+{more}</span> : null}
      </span>
    </button>
  )
})
