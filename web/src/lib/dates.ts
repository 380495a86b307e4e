/**
 * Calendar dates without time zones. A `Fecha` is the text 'YYYY-MM-DD' and a `Mes` the text 'YYYY-MM':
 * both compare as strings. `Date` appears only as a calculator in UTC, or to ask the device for its day.
 */

export type Fecha = string
export type Mes = string

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

function toUtc(fecha: Fecha): Date {
  const [year = 1970, month = 1, day = 1] = fecha.split('-').map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date
}

function fromUtc(date: Date): Fecha {
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
}

/** The device's local calendar date. */
export function dateOf(now: Date): Fecha {
  return `${pad(now.getFullYear(), 4)}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}

/** The device's local hour, '21:30'. */
export const clockOf = (now: Date): string => `${pad(now.getHours())}:${pad(now.getMinutes())}`

/** Milliseconds from `now` to the next local midnight. */
export function untilMidnight(now: Date): number {
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  return next.getTime() - now.getTime()
}

export const monthOf = (fecha: Fecha): Mes => fecha.slice(0, 7)
export const dayOf = (fecha: Fecha): number => Number(fecha.slice(8, 10))
export const firstOf = (mes: Mes): Fecha => `${mes}-01`

/** How many days later `to` is than `from`. */
export const daysBetween = (from: Fecha, to: Fecha): number =>
  Math.round((toUtc(to).getTime() - toUtc(from).getTime()) / 86_400_000)

export function addDays(fecha: Fecha, days: number): Fecha {
  const date = toUtc(fecha)
  date.setUTCDate(date.getUTCDate() + days)
  return fromUtc(date)
}

/** 0 is Sunday. */
export const weekdayOf = (fecha: Fecha): number => toUtc(fecha).getUTCDay()

/** The seven days of a day's week, Sunday first; a week at either end of all years has fewer. */
export const weekOf = (fecha: Fecha): Fecha[] =>
  Array.from({ length: 7 }, (_, day) => addDays(fecha, day - weekdayOf(fecha))).filter(isFecha)

export function daysIn(mes: Mes): number {
  const first = toUtc(firstOf(mes))
  first.setUTCMonth(first.getUTCMonth() + 1, 0)
  return first.getUTCDate()
}

export function addMonths(mes: Mes, months: number): Mes {
  const date = toUtc(firstOf(mes))
  date.setUTCMonth(date.getUTCMonth() + months)
  return monthOf(fromUtc(date))
}

/** The same day of another month, or its last day where the month is shorter. */
export function sameDayIn(fecha: Fecha, mes: Mes): Fecha {
  return `${mes}-${pad(Math.min(dayOf(fecha), daysIn(mes)))}`
}

/** True for a real date of the years 0001 to 9999 written 'YYYY-MM-DD'. */
export function isFecha(text: string): text is Fecha {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  return fromUtc(toUtc(text)) === text
}

/** The specification's own weekday headers, Sunday first, with the full names that assistive tech reads. */
export const WEEKDAYS = [
  { short: 'Dom', long: 'domingo' },
  { short: 'Lun', long: 'lunes' },
  { short: 'Mar', long: 'martes' },
  { short: 'Mié', long: 'miércoles' },
  { short: 'Jue', long: 'jueves' },
  { short: 'Vie', long: 'viernes' },
  { short: 'Sáb', long: 'sábado' },
] as const

/** In words of our own: to start `Intl` takes a slow phone a tenth of a second, before anything is on its screen. */
const MONTHS = [
  'enero',
  'febrero',
  'marzo',
  'abril',
  'mayo',
  'junio',
  'julio',
  'agosto',
  'septiembre',
  'octubre',
  'noviembre',
  'diciembre',
] as const

const yearOf = (date: Fecha | Mes): number => Number(date.slice(0, 4))
const monthWord = (date: Fecha | Mes): string => MONTHS[Number(date.slice(5, 7)) - 1] ?? ''

/** 'marzo de 2026' */
export const monthTitle = (mes: Mes): string => `${monthWord(mes)} de ${yearOf(mes)}`

/** 'martes, 3 de marzo de 2026' */
export const longDate = (fecha: Fecha): string =>
  `${WEEKDAYS[weekdayOf(fecha)]?.long}, ${dayOf(fecha)} de ${monthTitle(monthOf(fecha))}`

/** '22–28 de noviembre de 2026', and both months or years where they differ. */
export function weekTitle(first: Fecha, last: Fecha): string {
  const until = `${dayOf(last)} de ${monthTitle(monthOf(last))}`
  if (monthOf(first) === monthOf(last)) return `${dayOf(first)}–${until}`
  const year = yearOf(first) === yearOf(last) ? '' : ` de ${yearOf(first)}`
  return `${dayOf(first)} de ${monthWord(first)}${year} – ${until}`
}

/** 'mar' */
export const shortWeekday = (fecha: Fecha): string =>
  WEEKDAYS[weekdayOf(fecha)]?.short.toLowerCase() ?? ''

/** 'mar' for March too: the short month of a date. */
export const shortMonth = (fecha: Fecha): string => {
  const word = monthWord(fecha)
  return word === 'septiembre' ? 'sept' : word.slice(0, 3)
}

/** 'dom 22 nov' */
export const shortDate = (fecha: Fecha): string =>
  `${shortWeekday(fecha)} ${dayOf(fecha)} ${shortMonth(fecha)}`
