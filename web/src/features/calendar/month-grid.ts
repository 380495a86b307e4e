import { addDays, daysIn, type Fecha, firstOf, type Mes, weekdayOf } from '#lib/dates.ts'

const WEEKS = 6
const DAYS = 7

/** The day of an adjacent month in a cell that `monthGrid` leaves empty. */
export const neighbourAt = (mes: Mes, week: number, day: number): Fecha =>
  addDays(firstOf(mes), week * DAYS + day - weekdayOf(firstOf(mes)))

/** Six weeks of seven days, Sunday first; null where another month would begin or end. */
export function monthGrid(mes: Mes): (Fecha | null)[][] {
  const offset = weekdayOf(firstOf(mes))
  const count = daysIn(mes)
  const cell = (index: number): Fecha | null => {
    const day = index - offset + 1
    return day >= 1 && day <= count ? `${mes}-${String(day).padStart(2, '0')}` : null
  }
  return Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: DAYS }, (_, day) => cell(week * DAYS + day)),
  )
}
