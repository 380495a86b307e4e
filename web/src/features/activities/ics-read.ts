/** What a calendar file holds, as plans. Whatever is in it is a stranger's text. */
import { addDays, daysBetween } from '#lib/dates.ts'
import { importing } from '#lib/messages-later.ts'
import { folded } from '#lib/search.ts'
import type { Actividad, Changes } from './api.ts'
import { MAX_DAYS, MAX_DESCRIPTION, MAX_PLACE, MAX_TITLE } from './draft-rules.ts'
import { type Line, linesOf, unescaped } from './ics-lines.ts'
import { clockAt, durationOf, fechaOf, lastMoment, momentOf } from './ics-times.ts'

export const MAX_BYTES = 1_048_576
const MAX_EVENTS = 500

const CALENDAR = /^\s*BEGIN:VCALENDAR\s/i

export type Found = {
  plan: Changes
  /** It repeats: the first time alone is read. */
  repeats: boolean
  /** A plan of that day has that name already. */
  known: boolean
}

export type Reading = { ok: true; found: Found[] } | { ok: false; sentence: string }

const refused = (sentence: string): Reading => ({ ok: false, sentence })

/** The text of a file of whichever encoding calendars are written in. */
export function decoded(bytes: BufferSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** `list` is what there is already. */
export function readIcs(text: string, list: readonly Actividad[]): Reading {
  if (!CALENDAR.test(text)) return refused(importing.notACalendar)
  const events = eventsOf(linesOf(text))
  if (events.length > MAX_EVENTS) return refused(importing.tooLarge)
  const masters = new Set(events.flatMap((one) => (one.has('RRULE') ? one.get('UID')?.value : [])))
  const seen = new Set(list.map(keyOf))
  const own = new Set<string>()
  const found: Found[] = []
  for (const event of events) {
    // Another time of what repeats; and what does not take place.
    if (event.has('RECURRENCE-ID') && masters.has(event.get('UID')?.value)) continue
    if (event.get('STATUS')?.value.trim().toUpperCase() === 'CANCELLED') continue
    const plan = planOf(event)
    if (!plan || own.has(wholeKeyOf(plan))) continue
    own.add(wholeKeyOf(plan))
    const repeats = event.has('RRULE') || event.has('RDATE')
    found.push({ plan, repeats, known: seen.has(keyOf(plan)) })
  }
  found.sort((a, b) => (wholeKeyOf(a.plan) < wholeKeyOf(b.plan) ? -1 : 1))
  return found.length > 0 ? { ok: true, found } : refused(importing.nothing)
}

const keyOf = ({ fecha, titulo }: Pick<Changes, 'fecha' | 'titulo'>) =>
  `${fecha} ${folded(titulo.trim())}`

const wholeKeyOf = (plan: Changes) => `${plan.fecha} ${plan.hora ?? ''} ${folded(plan.titulo)}`

type Event = ReadonlyMap<string, Line>

/** The properties of each event itself, of two of one name the first; those of what stands inside it are left out. */
function eventsOf(lines: readonly Line[]): Event[] {
  const events: Event[] = []
  let event: Map<string, Line> | null = null
  let inside = 0
  for (const line of lines) {
    const kind = line.value.trim().toUpperCase()
    if (line.name === 'BEGIN' && event) inside++
    else if (line.name === 'BEGIN') event = kind === 'VEVENT' ? new Map() : null
    else if (line.name === 'END' && inside > 0) inside--
    else if (line.name === 'END' && event) {
      if (kind === 'VEVENT') events.push(event)
      event = null
    } else if (event && inside === 0 && !event.has(line.name)) event.set(line.name, line)
  }
  return events
}

function planOf(event: Event): Changes | null {
  const when = whenOf(event)
  if (!when) return null
  const lugar = oneLine(textOf(event, 'LOCATION'), MAX_PLACE)
  return {
    titulo: oneLine(textOf(event, 'SUMMARY'), MAX_TITLE) || importing.untitled,
    descripcion: cut(readable(textOf(event, 'DESCRIPTION')).trim(), MAX_DESCRIPTION) || null,
    presupuesto: null,
    ...when,
    ...(lugar ? { lugar } : {}),
  }
}

type When = Pick<Changes, 'fecha' | 'hora' | 'hora_fin' | 'fecha_fin'>

function whenOf(event: Event): When | null {
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

const textOf = (event: Event, name: string): string => unescaped(event.get(name)?.value ?? '')

/** Without control characters but line breaks, and without what turns the text around it. */
const readable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, (sign) => (sign === '\n' ? sign : ' '))

/** Blanks as planes.recortado() takes them for. */
const BLANKS = /[\s\u0085\u200b-\u200d\u2028\u2029\u2060]+/gu

const oneLine = (text: string, most: number): string =>
  cut(readable(text).replace(BLANKS, ' ').trim(), most)

/** Whole characters, as the database counts them. */
function cut(text: string, most: number): string {
  const signs = [...text]
  return signs.length > most
    ? `${signs
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : text
}
