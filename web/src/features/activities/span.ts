/** When a plan is, in words. Hours and dates float: they show as they were typed, everywhere. */
import type { Actividad } from '#lib/database.ts'
import { addDays, dayOf, daysBetween, type Fecha, shortDate, shortWeekday } from '#lib/dates.ts'

type Span = Pick<Actividad, 'fecha' | 'hora' | 'hora_fin' | 'fecha_fin'>

export const lastDayOf = ({ fecha, fecha_fin }: Pick<Span, 'fecha' | 'fecha_fin'>): Fecha =>
  fecha_fin ?? fecha

/** '21:30' of the server's '21:30:00'. */
export const clock = (hora: string): string => hora.slice(0, 5)

/** Every day of it, 61 at most. */
export function daysOf(span: Pick<Span, 'fecha' | 'fecha_fin'>): Fecha[] {
  const { fecha, fecha_fin } = span
  if (!fecha_fin) return [fecha]
  return Array.from({ length: daysBetween(fecha, fecha_fin) + 1 }, (_, day) => addDays(fecha, day))
}

/** 'vie 27' before 'dom 29 nov', 'sáb 28 nov' before 'mar 1 dic'. */
const firstDate = (fecha: Fecha, last: Fecha): string =>
  fecha.slice(0, 7) === last.slice(0, 7)
    ? `${shortWeekday(fecha)} ${dayOf(fecha)}`
    : shortDate(fecha)

const join = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(', ')

/**
 * «21:30–23:00», «vie 27 – dom 29 nov», «vie 27, 21:30 – dom 29 nov, 06:15»; null where the date says it all.
 */
export function whenOf({ fecha, hora, hora_fin, fecha_fin }: Span): string | null {
  const from = hora ? clock(hora) : null
  const until = hora_fin ? clock(hora_fin) : null
  if (fecha_fin)
    return `${join(firstDate(fecha, fecha_fin), from)} – ${join(shortDate(fecha_fin), until)}`
  return from && until ? `${from}–${until}` : from
}

const hourOf = ({ hora }: Span): string => hora ?? ''

/** Within a day: what has no hour first. */
export const byHour = (a: Span, b: Span): number =>
  hourOf(a) < hourOf(b) ? -1 : hourOf(a) > hourOf(b) ? 1 : 0
