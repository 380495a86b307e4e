/** The dates of a plan that repeats, and how that is said. */
import type { Regla } from '#lib/database.ts'
import { addDays, addMonths, type Fecha, isFecha, monthOf, sameDayIn } from '#lib/dates.ts'

/** The most dates of a series, and the most years it spans. */
export const MAX_DATES = 52
const MAX_YEARS = 2

const DAYS = { semanal: 7, quincenal: 14 } as const
const MONTHS = { mensual: 1, anual: 12 } as const

/** The date after `n` steps. */
export const nth = (first: Fecha, regla: Regla, n: number): Fecha =>
  regla === 'semanal' || regla === 'quincenal'
    ? addDays(first, n * DAYS[regla])
    : sameDayIn(first, addMonths(monthOf(first), n * MONTHS[regla]))

/** The dates; one more than allowed if there are too many. In shorter months the 31st is the last day. */
export function datesOf(first: Fecha, regla: Regla, until: Fecha): Fecha[] {
  const dates: Fecha[] = []
  for (let n = 0; n <= MAX_DATES; n += 1) {
    const date = nth(first, regla, n)
    if (!isFecha(date) || date > until) break
    dates.push(date)
  }
  return dates
}

/** The latest last day of a series that begins on this day. */
export const latestEnd = (first: Fecha): Fecha =>
  sameDayIn(first, addMonths(monthOf(first), 12 * MAX_YEARS))

/** The default number of dates: about a quarter or half a year. */
export const SUGGESTED = { semanal: 12, quincenal: 6, mensual: 6, anual: 2 } as const

export const suggestedEnd = (first: Fecha, regla: Regla): Fecha =>
  nth(first, regla, SUGGESTED[regla] - 1)
