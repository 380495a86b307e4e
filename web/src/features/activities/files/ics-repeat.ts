/** Translates recurrence rules (RFC 5545, 3.3.10) into the planner's series, where a series can express them. */
import type { Regla } from '#lib/database.ts'
import {
  addDays,
  dayOf,
  daysBetween,
  daysIn,
  type Fecha,
  isFecha,
  monthOf,
  weekdayOf,
} from '#lib/dates.ts'
import { latestEnd, MAX_DATES, nth, SUGGESTED } from '../series/series.ts'

/** Dates with equal steps between them, which is one series. */
export type Steps = {
  regla: Regla
  /** From the first that has not passed, where there is one. */
  dates: readonly Fecha[]
  /** The rule goes on after the last of them. */
  more: boolean
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

const RULES: Readonly<Record<string, Regla>> = {
  'WEEKLY 1': 'semanal',
  'DAILY 7': 'semanal',
  'WEEKLY 2': 'quincenal',
  'DAILY 14': 'quincenal',
  'MONTHLY 1': 'mensual',
  'MONTHLY 12': 'anual',
  'YEARLY 1': 'anual',
}

const KNOWN = /^(FREQ|INTERVAL|COUNT|UNTIL|WKST|BYDAY|BYMONTHDAY|BYMONTH)$/
const NUMBER = /^[1-9]\d{0,8}$/

type Parts = ReadonlyMap<string, string>

function partsOf(rule: string): Parts | null {
  const parts = new Map<string, string>()
  for (const part of rule.trim().toUpperCase().split(';')) {
    const [name = '', value = ''] = part.split('=')
    if (!KNOWN.test(name) || parts.has(name)) return null
    parts.set(name, value)
  }
  return parts
}

/** How a rule repeats: one series a weekday. */
export type Pattern = {
  regla: Regla
  starts: readonly Fecha[]
  /** How often at the most in all; null for without end. */
  count: number | null
}

/** null for a rule that no series expresses. `first` is the day of its beginning where it was written. */
export function patternOf(rule: string, first: Fecha): Pattern | null {
  const parts = partsOf(rule)
  const regla = parts ? RULES[`${parts.get('FREQ')} ${parts.get('INTERVAL') ?? '1'}`] : undefined
  const count = parts?.get('COUNT')
  if (!parts || !regla || (count !== undefined && !NUMBER.test(count))) return null
  const starts = parts.get('FREQ') === 'WEEKLY' ? weeklyStarts(parts, first, regla) : [first]
  if (!starts || (parts.get('FREQ') !== 'WEEKLY' && !isOneDay(parts, first, regla))) return null
  return { regla, starts, count: count === undefined ? null : Number(count) }
}

/** Each series of a rule whose last day, as it was written, is `until`. */
export function stepsOf(
  { regla, starts, count }: Pattern,
  until: Fecha | null,
  today: Fecha,
): readonly Steps[] {
  // COUNT counts the days of a week in turn.
  const timesOf = (place: number) =>
    count === null ? null : Math.ceil((count - place) / starts.length)
  return starts.map((start, place) => ahead(start, regla, { times: timesOf(place), until, today }))
}

/** The first date of each weekday of the rule, in order; null where its beginning is none of them. */
function weeklyStarts(parts: Parts, first: Fecha, regla: Regla): Fecha[] | null {
  if (parts.has('BYMONTHDAY') || parts.has('BYMONTH')) return null
  const own = WEEKDAYS[weekdayOf(first)] ?? ''
  const names = new Set((parts.get('BYDAY') ?? own).split(','))
  const monday = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  if (!names.has(own) || monday < 0) return null
  const weekday = (name: string) => (WEEKDAYS.indexOf(name) - monday + 7) % 7
  const starts: Fecha[] = []
  for (const name of names) {
    if (!WEEKDAYS.includes(name)) return null
    const day = addDays(first, weekday(name) - weekday(own))
    starts.push(day < first ? nth(day, regla, 1) : day)
  }
  return starts.sort()
}

/** Whether a rule of months or years means the day of its beginning, which every one of them has. */
function isOneDay(parts: Parts, first: Fecha, regla: Regla): boolean {
  const same = (name: string, number: number) => [undefined, `${number}`].includes(parts.get(name))
  const day = dayOf(first)
  if (parts.has('BYDAY') || !same('BYMONTHDAY', day)) return false
  if (regla === 'semanal' || regla === 'quincenal') return !parts.has('BYMONTH')
  if (regla === 'mensual') return day <= 28 && !parts.has('BYMONTH')
  return same('BYMONTH', Number(first.slice(5, 7))) && (day <= 28 || daysIn(monthOf(first)) > 29)
}

type End = {
  /** How often at the most; null for without end. */
  times: number | null
  until: Fecha | null
  today: Fecha
}

function ahead(start: Fecha, regla: Regla, { times, until, today }: End): Steps {
  const takesPlace = (n: number, date: Fecha) =>
    (times === null || n < times) && (until === null || date <= until)
  const next = stepsBefore(start, regla, today)
  const from = takesPlace(next, nth(start, regla, next)) ? next : 0
  const endless = times === null && until === null
  const most = endless ? SUGGESTED[regla] : MAX_DATES
  const latest = latestEnd(nth(start, regla, from))
  const dates: Fecha[] = []
  for (let n = from; ; n += 1) {
    const date = nth(start, regla, n)
    if (!takesPlace(n, date) || !isFecha(date)) return { regla, dates, more: false }
    if (dates.length === most || (isFecha(latest) && date > latest))
      return { regla, dates, more: true }
    dates.push(date)
  }
}

/** How many dates there are before a day. */
function stepsBefore(start: Fecha, regla: Regla, day: Fecha): number {
  if (start >= day) return 0
  if (regla === 'semanal' || regla === 'quincenal')
    return Math.ceil(daysBetween(start, day) / daysBetween(start, nth(start, regla, 1)))
  const months = monthsBetween(start, day) / (regla === 'anual' ? 12 : 1)
  const steps = Math.floor(months)
  return nth(start, regla, steps) < day ? steps + 1 : steps
}

const monthsBetween = (from: Fecha, to: Fecha): number => {
  const index = (fecha: Fecha) => Number(fecha.slice(0, 4)) * 12 + Number(fecha.slice(5, 7))
  return index(to) - index(from)
}
