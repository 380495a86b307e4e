import { ChevronLeft, ChevronRight } from 'lucide-react'
import { memo, useCallback } from 'react'
import { Button } from '#components/button.tsx'
import { useAfterPaint } from '#hooks/use-after-paint.ts'
import { useMediaQuery } from '#hooks/use-media-query.ts'
import {
  addMonths,
  dayOf,
  type Fecha,
  firstOf,
  type Mes,
  monthOf,
  monthTitle,
  WEEKDAYS,
} from '#lib/dates.ts'
import { calendar } from '#lib/messages.ts'
import { DayCell } from './day-cell.tsx'
import type { Planned } from './day-summary.ts'
import { dayAfterKey } from './grid-keys.ts'
import styles from './month-calendar.module.css'
import { monthGrid, neighbourAt } from './month-grid.ts'
import { type FocusRequest, useGridFocus } from './use-grid-focus.ts'

type MonthCalendarProps = {
  mes: Mes
  today: Fecha
  byDay: ReadonlyMap<Fecha, readonly Planned[]>
  /** What is counted on a day, in words. */
  special: ReadonlyMap<Fecha, readonly string[]>
  onMonth: (mes: Mes) => void
  onDay: (fecha: Fecha) => void
  focusRequest: FocusRequest | null
}

const TITLE_ID = 'titulo-del-mes'
const none: readonly Planned[] = []

/** Room for titles in the cells. */
const ROOMY = '(min-width: 1024px) and (min-height: 700px)'

export const MonthCalendar = memo(function MonthCalendar(props: MonthCalendarProps) {
  const { mes, today, byDay, special, onMonth, onDay, focusRequest } = props
  const { grid, stop, onKeyDown, onFocus } = useGridFocus({
    first: firstOf(mes),
    holds: (fecha) => monthOf(fecha) === mes,
    today,
    dayAfter: dayAfterKey,
    onLeave: (fecha) => onMonth(monthOf(fecha)),
    request: focusRequest,
  })
  // The days are rendered at once; their marks, most of a month's work, in the next rendering, before the list.
  const marked = useAfterPaint(mes)
  const titled = useMediaQuery(ROOMY)
  const open = useCallback(
    (fecha: Fecha) => {
      onFocus(fecha)
      onDay(fecha)
    },
    [onFocus, onDay],
  )
  return (
    <section className={styles.calendar} aria-labelledby={TITLE_ID}>
      <MonthHeader mes={mes} today={today} onMonth={onMonth} />
      <table
        ref={grid}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table is what ARIA makes a grid of
        role="grid"
        aria-labelledby={TITLE_ID}
        className={styles.grid}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr>
            {WEEKDAYS.map(({ short, long }) => (
              <th key={short} scope="col" abbr={long} className={styles.weekday}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monthGrid(mes).map((week, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: weeks have no identity but their place
            <tr key={row} className={week.some(Boolean) ? '' : styles.spare}>
              {week.map((fecha, column) =>
                fecha ? (
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of that grid
                  // biome-ignore lint/a11y/useFocusableInteractive: the button inside takes the focus
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place; another month fills it anew
                  <td key={column} role="gridcell" className={styles.cell}>
                    <DayCell
                      fecha={fecha}
                      day={byDay.get(fecha) ?? none}
                      today={today}
                      special={special.get(fecha)}
                      marked={marked === mes}
                      titled={titled}
                      stop={fecha === stop}
                      onOpen={open}
                    />
                  </td>
                ) : (
                  <Neighbour
                    // biome-ignore lint/suspicious/noArrayIndexKey: a place is its index
                    key={column}
                    fecha={neighbourAt(mes, row, column)}
                    onOpen={onDay}
                  />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
})

type NeighbourProps = { fecha: Fecha; onOpen: (fecha: Fecha) => void }

/** A day of the adjacent months: visible and clickable; by keyboard it is reached by changing the month. */
function Neighbour({ fecha, onOpen }: NeighbourProps) {
  return (
    <td className={styles.neighbour} aria-hidden="true" onClick={() => onOpen(fecha)}>
      {dayOf(fecha)}
    </td>
  )
}

type MonthHeaderProps = Pick<MonthCalendarProps, 'mes' | 'today' | 'onMonth'>

function MonthHeader({ mes, today, onMonth }: MonthHeaderProps) {
  return (
    <div className={styles.header}>
      <Button
        variant="quiet"
        className="no-print"
        aria-label={calendar.previous}
        icon={<ChevronLeft />}
        onClick={() => onMonth(addMonths(mes, -1))}
      />
      <h2 id={TITLE_ID} className={styles.title} aria-live="polite">
        {monthTitle(mes)}
      </h2>
      <Button
        variant="quiet"
        className="no-print"
        aria-label={calendar.next}
        icon={<ChevronRight />}
        onClick={() => onMonth(addMonths(mes, 1))}
      />
      {mes === monthOf(today) ? null : (
        <Button className={`no-print ${styles.now}`} onClick={() => onMonth(monthOf(today))}>
          {calendar.today}
        </Button>
      )}
    </div>
  )
}
