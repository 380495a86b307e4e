/** Activities as an iCalendar file (RFC 5545): all-day events with an alarm the day before. */
import { addDays, type Fecha } from '#lib/dates.ts'
import { download } from '#lib/download.ts'
import { ics, product } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import type { Actividad } from '../api.ts'
import { lastDayOf } from '../span.ts'

const STATUS = { aceptado: 'CONFIRMED', pendiente: 'TENTATIVE', rechazado: 'CANCELLED' } as const
const LINE_OCTETS = 75

const encoder = new TextEncoder()

const isControl = (sign: string): boolean =>
  (sign < ' ' && sign !== '\t' && sign !== '\n') || sign === '\u007f'

/** Control characters, but for tab and line break, are not allowed in iCalendar. */
const readable = (text: string): string =>
  [...text.replace(/\r\n?/g, '\n')].filter((sign) => !isControl(sign)).join('')

/** Backslash first: the others' escapes are made of it. */
const escapeText = (text: string): string =>
  readable(text)
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll('\n', '\\n')

/** Breaks a line after 75 octets at most, never within a character; the rest goes on after a space. */
export function foldLine(line: string): string {
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const character of line) {
    const size = encoder.encode(character).length
    if (octets + size > LINE_OCTETS) {
      parts.push(part)
      part = ''
      octets = 1
    }
    part += character
    octets += size
  }
  return [...parts, part].join('\r\n ')
}

const dateValue = (fecha: Fecha): string => fecha.replaceAll('-', '')

/** UTC, to the second: 20261121T113000Z */
const stamp = (now: Date): string => now.toISOString().replace(/[-:]|\.\d+/g, '')

/** Local time without a zone, as it was typed. */
const moment = (fecha: Fecha, hora: string): string =>
  `${dateValue(fecha)}T${hora.slice(0, 8).replaceAll(':', '').padEnd(6, '0')}`

function timeLines(actividad: Actividad): string[] {
  const { fecha, hora, hora_fin, fecha_fin } = actividad
  const last = lastDayOf(actividad)
  const start = hora ? `DTSTART:${moment(fecha, hora)}` : `DTSTART;VALUE=DATE:${dateValue(fecha)}`
  if (hora_fin) return [start, `DTEND:${moment(last, hora_fin)}`]
  // DTEND is exclusive: the day after, but for 9999-12-31, which has none.
  if ((hora && !fecha_fin) || last >= '9999-12-31') return [start]
  const after = addDays(last, 1)
  return [
    start,
    hora ? `DTEND:${moment(after, '00:00:00')}` : `DTEND;VALUE=DATE:${dateValue(after)}`,
  ]
}

/** The same events as the subscribed calendar's, planes.ics_evento() in SQL: whoever has both sees each plan once. */
function eventLines(actividad: Actividad, now: Date): string[] {
  const { id, titulo, descripcion, presupuesto, estado, creado_en } = actividad
  const budget = presupuesto === null ? null : ics.budget(formatEuros(presupuesto))
  const description = [descripcion, budget].filter(Boolean).join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${id}@planes-en-pareja`,
    `DTSTAMP:${stamp(creado_en ? new Date(creado_en) : now)}`,
    ...timeLines(actividad),
    `SUMMARY:${escapeText(titulo)}`,
    ...(actividad.lugar ? [`LOCATION:${escapeText(actividad.lugar)}`] : []),
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    `STATUS:${STATUS[estado]}`,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escapeText(ics.reminder(titulo))}`,
    'TRIGGER:-P1D',
    'END:VALARM',
    'END:VEVENT',
  ]
}

/** The file's whole text. */
export function toIcs(list: readonly Actividad[], now: Date): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${product.name}//ES`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...list.flatMap((actividad) => eventLines(actividad, now)),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

/** Hands the file to the browser, which opens it in a calendar or saves it. */
export const downloadIcs = (list: readonly Actividad[], name: string): void =>
  download(`${name}.ics`, 'text/calendar', toIcs(list, new Date()))
