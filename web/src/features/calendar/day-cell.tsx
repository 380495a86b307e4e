import { memo } from 'react'
import { Mark } from '#components/mark.tsx'
import { usePerson } from '#components/people.tsx'
import { dayOf, type Fecha } from '#lib/dates.ts'
import styles from './day-cell.module.css'
import { type DaySummary, MAX_MARKS, type Planned, summarizeDay } from './day-summary.ts'

type DayCellProps = {
  fecha: Fecha
  day: readonly Planned[]
  today: Fecha
  /** What is counted on it. */
  special: readonly string[] | undefined
  /** Whether the marks are drawn yet; the accessible name is complete at once. */
  marked: boolean
  /** Whether there is room for titles beside the marks. */
  titled: boolean
  /** Whether this day is the grid's tab stop. */
  stop: boolean
  onOpen: (fecha: Fecha) => void
}

export const DayCell = memo(function DayCell(props: DayCellProps) {
  const { fecha, day, today, special, marked, titled, stop, onOpen } = props
  const { marks, more, name } = summarizeDay(fecha, day, today, special)
  const when = fecha === today ? styles.today : fecha < today ? styles.past : ''
  const number = special ? <span className={styles.special}>{dayOf(fecha)}</span> : dayOf(fecha)
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
      {titled ? (
        <span className={styles.head}>
          {number}
          {marked && more > 0 ? <More count={more} /> : null}
        </span>
      ) : (
        number
      )}
      {marked && titled
        ? day.slice(0, MAX_MARKS).map((plan) => <Line key={plan.id} plan={plan} />)
        : null}
      {marked && !titled && marks.length > 0 ? <Marks marks={marks} more={more} /> : null}
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
      {more > 0 ? <More count={more} /> : null}
    </span>
  )
}

const More = ({ count }: { count: number }) => (
  <span className={styles.more} aria-hidden="true">{`+${count}`}</span>
)

/** One plan of the day: its state, whose it is, and as much of its title as fits. */
function Line({ plan }: { plan: Planned }) {
  const person = usePerson(plan.creador_id)
  return (
    <span className={styles.line} aria-hidden="true">
      <Mark estado={plan.estado} />
      {person ? (
        <span className={styles.initial} data-persona={person.tone}>
          {person.initials}
        </span>
      ) : null}
      <span className={styles.title} dir="auto">
        {plan.titulo}
      </span>
    </span>
  )
}
