/** The dates of a plan that repeats, and how that is said. */
import type { Regla } from '#lib/database.ts'
import { addDays, addMonths, type Fecha, isFecha, monthOf, sameDayIn } from '#lib/dates.ts'

/** So many at most, within so many years. */
export const MAX_DATES = 52
const MAX_YEARS = 2

const DAYS = { semanal: 7, quincenal: 14 } as const
const MONTHS = { mensual: 1, anual: 12 } as const

/** The date after `n` steps. */
export const nth = (first: Fecha, regla: Regla, n: number): Fecha =>
  regla === 'semanal' || regla === 'quincenal'
    ? addDays(first, n * DAYS[regla])
    : sameDayIn(first, addMonths(monthOf(first), n * MONTHS[regla]))

/** One more than there may be, where there are too many. The 31st is a shorter month's last day. */
export function datesOf(first: Fecha, regla: Regla, until: Fecha): Fecha[] {
  const dates: Fecha[] = []
  for (let n = 0; n <= MAX_DATES; n += 1) {
    const date = nth(first, regla, n)
    if (!isFecha(date) || date > until) break
    dates.push(date)
  }
  return dates
}

/** The last day that a series which begins on this one may reach. */
export const latestEnd = (first: Fecha): Fecha =>
  sameDayIn(first, addMonths(monthOf(first), 12 * MAX_YEARS))

/** How many dates to begin with: about a quarter or half a year. */
export const SUGGESTED = { semanal: 12, quincenal: 6, mensual: 6, anual: 2 } as const

export const suggestedEnd = (first: Fecha, regla: Regla): Fecha =>
  nth(first, regla, SUGGESTED[regla] - 1)
