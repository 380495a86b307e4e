/** When an event of an iCalendar file is, as a plan's days and hours. */
import { addDays, daysBetween, type Fecha } from '#lib/dates.ts'
import type { Changes } from '../api.ts'
import { MAX_DAYS } from '../form/draft-rules.ts'
import type { Line } from './ics-lines.ts'
import { clockAt, durationOf, fechaOf, lastMoment, momentOf } from './ics-times.ts'

/** An event's properties by their names. */
export type Event = ReadonlyMap<string, Line>

export type When = Pick<Changes, 'fecha' | 'hora' | 'hora_fin' | 'fecha_fin'>

/** null for what has no beginning. */
export function whenOf(event: Event): When | null {
  const line = event.get('DTSTART')
  const start = line ? momentOf(line) : null
  if (!start) return null
  const fecha = fechaOf(start.wall)
  const until = endOf(event, start.wall)
  const last = until > start.wall ? fechaOf(start.timed ? until : lastMoment(until)) : fecha
  const days = daysBetween(fecha, last)
  const fecha_fin = days > MAX_DAYS ? addDays(fecha, MAX_DAYS) : days > 0 ? last : null
  if (!start.timed) return fecha_fin ? { fecha, fecha_fin } : { fecha }
  const hora = clockAt(start.wall)
  // Midnight ends the day before.
  if (until > start.wall && clockAt(until) === '00:00') {
    const before = fechaOf(lastMoment(until))
    return before > fecha && days <= MAX_DAYS ? { fecha, hora, fecha_fin: before } : { fecha, hora }
  }
  const hora_fin = until > start.wall && days <= MAX_DAYS ? clockAt(until) : null
  return {
    fecha,
    hora,
    ...(hora_fin ? { hora_fin } : {}),
    ...(fecha_fin ? { fecha_fin } : {}),
  }
}

/** The first moment after it; that of its beginning where it says none. */
function endOf(event: Event, start: number): number {
  const [end, duration] = [event.get('DTEND'), event.get('DURATION')]
  if (end) return momentOf(end)?.wall ?? start
  const until = start + ((duration && durationOf(duration)) || 0)
  return fechaOf(until) > '9999-12-31' || fechaOf(until).length !== 10 ? start : until
}

const DATE = /^(\d{4})(\d{2})(\d{2})/

/** The day as it is written, in the event's own zone; '' where there is none. */
export const writtenDay = ({ value }: Line): Fecha =>
  value.trim().match(DATE)?.slice(1).join('-') ?? ''

/** The same event on another day, as its calendar moves it: by days, at the same hour of its own zone. */
export function onDay(event: Event, day: Fecha): Event {
  const start = event.get('DTSTART')
  const days = start ? daysBetween(writtenDay(start), day) : 0
  const moved = new Map(event)
  for (const name of ['DTSTART', 'DTEND']) {
    const line = event.get(name)
    if (line) moved.set(name, { ...line, value: movedBy(line, days) })
  }
  return moved
}

const movedBy = (line: Line, days: number): string =>
  line.value.trim().replace(DATE, addDays(writtenDay(line), days).replaceAll('-', ''))
