/** A couple's special days (anniversaries): their dates in the calendar, and how far the next is. */
import { daysBetween, type Fecha, firstOf, isFecha, type Mes, sameDayIn } from '#lib/dates.ts'
import { specialDays as text } from '#lib/messages.ts'

export type SpecialDay = { id: string; titulo: string; fecha: Fecha; cada_ano: boolean }

/** How many days before it is announced. */
const AHEAD_DAYS = 14

/** Its date in a year; 29 February is the 28th in common years. null before its first year. */
export function dayIn(year: number, { fecha, cada_ano }: SpecialDay): Fecha | null {
  if (!cada_ano) return Number(fecha.slice(0, 4)) === year ? fecha : null
  const mes: Mes = `${String(year).padStart(4, '0')}-${fecha.slice(5, 7)}`
  const day = isFecha(firstOf(mes)) ? sameDayIn(fecha, mes) : null
  return day !== null && day >= fecha ? day : null
}

const yearOf = (fecha: Fecha | Mes) => Number(fecha.slice(0, 4))

/** «Nuestro aniversario, 3 años»: how many it is on that day. */
function wordsOn(day: Fecha, special: SpecialDay): string {
  const years = special.cada_ano ? yearOf(day) - yearOf(special.fecha) : 0
  return years > 0 ? `${special.titulo}, ${text.years(years)}` : special.titulo
}

/** Labels by day, for the years of these days. */
export const aroundDays = (
  days: readonly Fecha[],
  list: readonly SpecialDay[],
): ReadonlyMap<Fecha, readonly string[]> =>
  new Map([...new Set(days.map(yearOf))].flatMap((year) => [...inYear(year, list)]))

/** Labels by day of a year. */
export function inYear(
  year: number,
  list: readonly SpecialDay[],
): ReadonlyMap<Fecha, readonly string[]> {
  const found = new Map<Fecha, string[]>()
  for (const special of list) {
    const day = dayIn(year, special)
    if (day) found.set(day, [...(found.get(day) ?? []), wordsOn(day, special)])
  }
  return found
}

type Ahead = { id: string; days: number; words: string }

/** Today's and those of the next two weeks, the soonest first. */
export function aheadOf(today: Fecha, list: readonly SpecialDay[]): readonly Ahead[] {
  return list
    .flatMap((special) =>
      [yearOf(today), yearOf(today) + 1].flatMap((year) => {
        const day = dayIn(year, special)
        const days = day ? daysBetween(today, day) : -1
        return day && days >= 0 && days <= AHEAD_DAYS
          ? [{ id: special.id, days, words: wordsOn(day, special) }]
          : []
      }),
    )
    .sort((a, b) => a.days - b.days)
}
