/** Reads plans from a calendar file, whose content is not trusted. */
import type { Fecha } from '#lib/dates.ts'
import { importing } from '#lib/messages-later.ts'
import { plainLine, plainText } from '#lib/plain-text.ts'
import { folded } from '#lib/search.ts'
import type { Actividad, Changes } from '../api.ts'
import { MAX_DESCRIPTION, MAX_PLACE, MAX_TITLE } from '../form/draft-rules.ts'
import { type Line, linesOf, unescaped } from './ics-lines.ts'
import { type Repeated, type Run, repeatedOf, runsOf } from './ics-runs.ts'
import { type Event, whenOf } from './ics-when.ts'

export const MAX_BYTES = 1_048_576
const MAX_EVENTS = 500

const CALENDAR = /^\s*BEGIN:VCALENDAR\s/i

export type Found = Omit<Run, 'when'> & {
  plan: Changes
  /** The list already has a plan of that name on that day. */
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

/** `list`: the existing plans. Of repeated events, dates before `today` are left out if later ones follow. */
export function readIcs(text: string, list: readonly Actividad[], today: Fecha): Reading {
  if (!CALENDAR.test(text)) return refused(importing.notACalendar)
  const events = eventsOf(linesOf(text))
  if (events.length > MAX_EVENTS) return refused(importing.tooLarge)
  const repeated = repeatedOf(events)
  const seen = new Set(list.map(keyOf))
  const own = new Set<string>()
  const found: Found[] = []
  for (const event of events) {
    if (isCancelled(event)) continue
    for (const time of timesOf(event, repeated, today)) {
      if (own.has(wholeKeyOf(time.plan))) continue
      own.add(wholeKeyOf(time.plan))
      found.push({ ...time, known: seen.has(keyOf(time.plan)) })
    }
    if (found.length > MAX_EVENTS) return refused(importing.tooLarge)
  }
  found.sort((a, b) => (wholeKeyOf(a.plan) < wholeKeyOf(b.plan) ? -1 : 1))
  return found.length > 0 ? { ok: true, found } : refused(importing.nothing)
}

const keyOf = ({ fecha, titulo }: Pick<Changes, 'fecha' | 'titulo'>) =>
  `${fecha} ${folded(titulo.trim())}`

const wholeKeyOf = (plan: Changes) => `${plan.fecha} ${plan.hora ?? ''} ${folded(plan.titulo)}`

/**
 * The properties of each event: the first of each name, but every EXDATE. Those of nested components are left out.
 */
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
    } else if (event && inside === 0) {
      const known = event.get(line.name)
      if (!known) event.set(line.name, line)
      else if (line.name === 'EXDATE')
        event.set(line.name, { ...known, value: `${known.value},${line.value}` })
    }
  }
  return events
}

const isCancelled = (event: Event): boolean =>
  event.get('STATUS')?.value.trim().toUpperCase() === 'CANCELLED'

type Time = Omit<Found, 'known'>

/** An event's plans: one, a series, several series where dates are excluded, or none. */
function timesOf(event: Event, repeated: Repeated, today: Fecha): Time[] {
  const uid = event.get('UID')?.value ?? ''
  const elsewhere = repeated.get(uid)
  // An override (RECURRENCE-ID) of an event whose rule no series expresses: only its first date is read.
  if (event.has('RECURRENCE-ID') && elsewhere?.whole === false) return []
  const when = whenOf(event)
  if (!when) return []
  const texts = textsOf(event)
  const repeats = (event.has('RRULE') || event.has('RDATE')) && !event.has('RECURRENCE-ID')
  const runs = repeats ? runsOf(event, elsewhere?.moved ?? [], today) : null
  const once: Run[] = [{ when, series: null, left: repeats ? 'others' : null }]
  return (runs ?? once).map(({ when, ...how }) => ({ plan: { ...texts, ...when }, ...how }))
}

function textsOf(event: Event): Pick<Changes, 'titulo' | 'descripcion' | 'presupuesto' | 'lugar'> {
  const lugar = oneLine(textOf(event, 'LOCATION'), MAX_PLACE)
  return {
    titulo: oneLine(textOf(event, 'SUMMARY'), MAX_TITLE) || importing.untitled,
    descripcion: cut(plainText(textOf(event, 'DESCRIPTION')), MAX_DESCRIPTION) || null,
    presupuesto: null,
    ...(lugar ? { lugar } : {}),
  }
}

const textOf = (event: Event, name: string): string => unescaped(event.get(name)?.value ?? '')

const oneLine = (text: string, most: number): string =>
  cut(plainLine(text).replace(/\s+/g, ' '), most)

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
