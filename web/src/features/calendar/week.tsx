import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { Mark } from '#components/mark.tsx'
import { PersonSign, usePerson } from '#components/people.tsx'
import {
  addDays,
  dayOf,
  type Fecha,
  isFecha,
  shortMonth,
  WEEKDAYS,
  weekdayOf,
  weekTitle,
} from '#lib/dates.ts'
import { activities, calendar } from '#lib/messages.ts'
import { week as text } from '#lib/messages-later.ts'
import { type Planned, summarizeDay } from './day-summary.ts'
import { dayAfterKeyInWeek } from './grid-keys.ts'
import { useGridFocus } from './use-grid-focus.ts'
import styles from './week.module.css'

type WeekProps = {
  /** Sunday first. */
  days: readonly Fecha[]
  today: Fecha
  byDay: ReadonlyMap<Fecha, readonly Planned[]>
  /** What is counted on a day, in words. */
  special: ReadonlyMap<Fecha, readonly string[]>
  /** Opens the week of a day. */
  onWeek: (day: Fecha) => void
  onDay: (fecha: Fecha) => void
  onPlan: (id: string) => void
}

const TITLE_ID = 'titulo-de-la-semana'
const none: readonly Planned[] = []

const hourOf = ({ fecha, hora }: Planned, day: Fecha) =>
  fecha === day && hora ? hora.slice(0, 5) : ''

/** A day's plans by hour; those without one, or that began earlier, come first. */
const byHour = (day: Fecha, plans: readonly Planned[]): readonly Planned[] =>
  plans.toSorted((a, b) =>
    hourOf(a, day) < hourOf(b, day) ? -1 : hourOf(a, day) > hourOf(b, day) ? 1 : 0,
  )

/** Seven days with their plans, side by side, or one below the other on narrow screens. */
export default function Week(props: WeekProps) {
  const { days, today, byDay, special, onWeek, onDay, onPlan } = props
  const [first = today] = days
  const { grid, stop, onKeyDown, onFocus } = useGridFocus({
    first,
    holds: (fecha) => days.includes(fecha),
    today,
    dayAfter: dayAfterKeyInWeek,
    onLeave: onWeek,
    request: null,
  })
  return (
    <section className={styles.week} aria-labelledby={TITLE_ID}>
      <WeekHeader days={days} today={today} onWeek={onWeek} />
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table is what ARIA makes a grid of
        role="grid"
        aria-labelledby={TITLE_ID}
        className={styles.grid}
      >
        {/* biome-ignore lint/a11y/noRedundantRoles: laid out otherwise, it is one by its role alone */}
        <tbody role="rowgroup">
          {/* biome-ignore lint/a11y/noRedundantRoles: as its group */}
          <tr role="row" className={styles.row}>
            {days.map((fecha, column) => (
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of that grid
              // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place; another week fills it anew
              <td key={column} role="gridcell" className={styles.cell}>
                <Day
                  fecha={fecha}
                  plans={byDay.get(fecha) ?? none}
                  today={today}
                  special={special.get(fecha)}
                  stop={fecha === stop}
                  onKeyDown={onKeyDown}
                  onOpen={() => {
                    onFocus(fecha)
                    onDay(fecha)
                  }}
                  onPlan={onPlan}
                />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </section>
  )
}

type WeekHeaderProps = Pick<WeekProps, 'days' | 'today' | 'onWeek'>

function WeekHeader({ days, today, onWeek }: WeekHeaderProps) {
  const [first = today] = days
  const last = days.at(-1) ?? first
  const [before, after] = [addDays(first, -1), addDays(last, 1)]
  return (
    <div className={styles.header}>
      <Button
        variant="quiet"
        className="no-print"
        aria-label={text.previous}
        icon={<ChevronLeft />}
        onClick={() => isFecha(before) && onWeek(before)}
      />
      <h2 id={TITLE_ID} className={styles.title} aria-live="polite">
        {weekTitle(first, last)}
      </h2>
      <Button
        variant="quiet"
        className="no-print"
        aria-label={text.next}
        icon={<ChevronRight />}
        onClick={() => isFecha(after) && onWeek(after)}
      />
      {days.includes(today) ? null : (
        <Button className="no-print" onClick={() => onWeek(today)}>
          {calendar.today}
        </Button>
      )}
    </div>
  )
}

type DayProps = {
  fecha: Fecha
  plans: readonly Planned[]
  today: Fecha
  special: readonly string[] | undefined
  stop: boolean
  onKeyDown: ReturnType<typeof useGridFocus>['onKeyDown']
  onOpen: () => void
  onPlan: (id: string) => void
}

/** The day's head proposes something on it; each plan leads to its sheet. */
function Day({ fecha, plans, today, special, stop, onKeyDown, onOpen, onPlan }: DayProps) {
  const when = fecha === today ? styles.today : fecha < today ? styles.past : ''
  return (
    <>
      <button
        type="button"
        className={`${styles.day} ${when}`}
        tabIndex={stop ? 0 : -1}
        data-fecha={fecha}
        aria-label={summarizeDay(fecha, plans, today, special).name}
        aria-current={fecha === today ? 'date' : undefined}
        onKeyDown={onKeyDown}
        onClick={onOpen}
      >
        <span className={styles.weekday}>{WEEKDAYS[weekdayOf(fecha)]?.short}</span>
        <span className={special ? styles.special : styles.number}>{dayOf(fecha)}</span>
        <span className={styles.month}>{shortMonth(fecha)}</span>
      </button>
      {plans.length === 0 ? null : (
        <ul className={styles.plans}>
          {byHour(fecha, plans).map((plan) => (
            <li key={plan.id}>
              <PlanButton plan={plan} hour={hourOf(plan, fecha)} onOpen={() => onPlan(plan.id)} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

type PlanButtonProps = { plan: Planned; hour: string; onOpen: () => void }

function PlanButton({ plan, hour, onOpen }: PlanButtonProps) {
  const { titulo, estado, creador_id } = plan
  const person = usePerson(creador_id)
  return (
    <button type="button" className={`${styles.plan} ${styles[estado] ?? ''}`} onClick={onOpen}>
      <span className={styles.line}>
        <Mark estado={estado} />
        {hour}
        {person ? <PersonSign person={person} small /> : null}
      </span>{' '}
      <span className={styles.name} dir="auto">
        {estado === 'rechazado' ? <s>{titulo}</s> : titulo}
      </span>
      <span className="sr-only">
        {`, ${activities.status[estado]}`}
        {person ? `, ${activities.proposedBy} ${person.nombre}` : ''}
      </span>
    </button>
  )
}
