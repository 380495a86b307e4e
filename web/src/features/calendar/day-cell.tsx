import { memo } from 'react'
import { Mark } from '#components/mark.tsx'
import type { Estado } from '#lib/database.ts'
import { dayOf, type Fecha } from '#lib/dates.ts'
import styles from './day-cell.module.css'
import { type DaySummary, summarizeDay } from './day-summary.ts'

type DayCellProps = {
  fecha: Fecha
  day: readonly { id: string; estado: Estado }[]
  today: Fecha
  /** Whether the marks are drawn already; the name says at once what they stand for. */
  marked: boolean
  /** The grid is one stop of the tab order: this day is it. */
  stop: boolean
  onOpen: (fecha: Fecha) => void
}

export const DayCell = memo(function DayCell(props: DayCellProps) {
  const { fecha, day, today, marked, stop, onOpen } = props
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
      {dayOf(fecha)}
      {marked && marks.length > 0 ? <Marks marks={marks} more={more} /> : null}
    </button>
  )
})

function Marks({ marks, more }: Pick<DaySummary, 'marks' | 'more'>) {
  return (
    <span className={styles.marks} aria-hidden="true">
      {marks.map((estado, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
        <Mark key={index} estado={estado} />
      ))}
      {more > 0 ? <span className={styles.more}>{`+${more}`}</span> : null}
    </span>
  )
}
