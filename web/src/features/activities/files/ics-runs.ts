/** A repeated event of an iCalendar file as the planner's series, each of dates without a gap and at one hour. */
import type { Regla } from '#lib/database.ts'
import { addDays, daysBetween, type Fecha } from '#lib/dates.ts'
import { nth } from '../series/series.ts'
import type { Line } from './ics-lines.ts'
import { type Pattern, patternOf, type Steps, stepsOf } from './ics-repeat.ts'
import { clockAt, fechaOf, type Moment, momentOf } from './ics-times.ts'
import { type Event, onDay, type When, whenOf, writtenDay } from './ics-when.ts'

/** A repeated event's overrides (RECURRENCE-ID): whether series can express it, and the dates that are moved. */
export type Repeated = ReadonlyMap<string, { whole: boolean; moved: string[] }>

/** By the UID that an event shares with its overrides. */
export function repeatedOf(events: readonly Event[]): Repeated {
  const uid = (event: Event) => event.get('UID')?.value ?? ''
  const repeated = new Map<string, { whole: boolean; moved: string[] }>()
  for (const event of events)
    if (event.has('RRULE') && !event.has('RECURRENCE-ID'))
      repeated.set(uid(event), { whole: ruleOf(event) !== null, moved: [] })
  for (const event of events) {
    const line = event.get('RECURRENCE-ID')
    if (line) repeated.get(uid(event))?.moved.push(...daysIn(line))
  }
  return repeated
}

/** What is proposed as a series. */
type Repetition = {
  regla: Regla
  hasta: Fecha
  count: number
}

export type Run = {
  when: When
  /** null for one date. */
  series: Repetition | null
  /** What of a rule is left out: all but the first time, as no series expresses it; or what comes later. */
  left: 'others' | 'later' | null
}

/** null for a rule that no series expresses; none where no date is left. */
export function runsOf(event: Event, moved: readonly string[], today: Fecha): Run[] | null {
  const rule = ruleOf(event)
  if (!rule) return null
  const without = event.get('EXDATE')
  const gone = new Set([...moved, ...(without ? daysIn(without) : [])])
  return stepsOf(rule.pattern, rule.until, today).flatMap((each) => unbroken(event, each, gone))
}

type Rule = { pattern: Pattern; until: Fecha | null }

function ruleOf(event: Event): Rule | null {
  const [rule, start] = [event.get('RRULE'), event.get('DTSTART')]
  const begins = start && momentOf(start)
  if (!rule || !begins || event.has('RDATE')) return null
  const pattern = patternOf(rule.value, writtenDay(start))
  const said = /(?:^|;)UNTIL=([^;]*)/i.exec(rule.value)?.[1]
  if (!pattern || said === undefined) return pattern && { pattern, until: null }
  const until = momentOf({ ...start, value: said.toUpperCase() })
  return until && { pattern, until: lastDay(until, begins, start) }
}

/** The last day of a rule as it is written; a time that would begin after the rule's last moment is not part of it. */
function lastDay(until: Moment, begins: Moment, start: Line): Fecha {
  const late = until.timed && clockAt(until.wall) < clockAt(begins.wall) ? 1 : 0
  const apart = daysBetween(fechaOf(begins.wall), writtenDay(start))
  return addDays(fechaOf(until.wall), apart - late)
}

/** The key of a time's day on this device's clock, which may be another day; an all-day date is its own key. */
const shownDay = (fecha: Fecha) => `T${fecha}`

const daysIn = (line: Line): string[] =>
  line.value.split(',').flatMap((value) => {
    const moment = momentOf({ ...line, value })
    if (!moment) return []
    return moment.timed ? shownDay(fechaOf(moment.wall)) : fechaOf(moment.wall)
  })

const length = ({ fecha, fecha_fin }: When) => (fecha_fin ? daysBetween(fecha, fecha_fin) : 0)

const sameHours = (a: When, b: When): boolean =>
  a.hora === b.hora && a.hora_fin === b.hora_fin && length(a) === length(b)

/** The remaining dates, split where one is missing or where this device's hour changes. */
function unbroken(event: Event, { regla, dates, more }: Steps, gone: ReadonlySet<string>): Run[] {
  const runs: When[][] = []
  let run: When[] = []
  for (const date of dates) {
    const when = whenOf(onDay(event, date))
    const [first] = run
    const follows =
      first && when && sameHours(first, when) && when.fecha === nth(first.fecha, regla, run.length)
    if (!follows) run = []
    if (!when || gone.has(date) || gone.has(shownDay(when.fecha))) {
      run = []
      continue
    }
    if (run.length === 0) runs.push(run)
    run.push(when)
  }
  return runs.map((times, place) => {
    const [when = { fecha: '' }, ...others] = times
    const hasta = others.at(-1)?.fecha
    return {
      when,
      series: hasta ? { regla, hasta, count: times.length } : null,
      left: more && place === runs.length - 1 ? 'later' : null,
    }
  })
}
