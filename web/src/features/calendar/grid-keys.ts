import { addDays, addMonths, type Fecha, monthOf, sameDayIn, weekdayOf } from '#lib/dates.ts'

export type DayAfterKey = (key: Key, from: Fecha, today: Fecha) => Fecha | null

type Key = { key: string; ctrlKey: boolean }

/** Where a key leads from a day of the grid; null for keys that the grid does not use. */
export function dayAfterKey({ key, ctrlKey }: Key, from: Fecha, today: Fecha): Fecha | null {
  switch (key) {
    case 'ArrowLeft':
      return addDays(from, -1)
    case 'ArrowRight':
      return addDays(from, 1)
    case 'ArrowUp':
      return addDays(from, -7)
    case 'ArrowDown':
      return addDays(from, 7)
    case 'Home':
      return ctrlKey ? today : addDays(from, -weekdayOf(from))
    case 'End':
      return addDays(from, 6 - weekdayOf(from))
    case 'PageUp':
      return sameDayIn(from, addMonths(monthOf(from), -1))
    case 'PageDown':
      return sameDayIn(from, addMonths(monthOf(from), 1))
    default:
      return null
  }
}

/** The same for the week view, where the page keys change the week. */
export function dayAfterKeyInWeek(key: Key, from: Fecha, today: Fecha): Fecha | null {
  if (key.key === 'PageUp') return addDays(from, -7)
  if (key.key === 'PageDown') return addDays(from, 7)
  return dayAfterKey(key, from, today)
}
