/** Activities as an iCalendar file (RFC 5545): all-day events with an alarm the day before. */
import { addDays, type Fecha } from '#lib/dates.ts'
import { ics, product } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import type { Actividad } from './api.ts'

const STATUS = { aceptado: 'CONFIRMED', pendiente: 'TENTATIVE', rechazado: 'CANCELLED' } as const
const LINE_OCTETS = 75

const encoder = new TextEncoder()

/** Backslash first: the others' escapes are made of it. */
const escapeText = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replace(/\r\n|\r|\n/g, '\\n')

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

function eventLines(actividad: Actividad, host: string, now: Date): string[] {
  const { id, titulo, descripcion, fecha, presupuesto, estado } = actividad
  const budget = presupuesto === null ? null : ics.budget(formatEuros(presupuesto))
  const description = [descripcion, budget].filter(Boolean).join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${id}@${host}`,
    `DTSTAMP:${stamp(now)}`,
    `DTSTART;VALUE=DATE:${dateValue(fecha)}`,
    // Exclusive: the day after.
    `DTEND;VALUE=DATE:${dateValue(addDays(fecha, 1))}`,
    `SUMMARY:${escapeText(titulo)}`,
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

/** The file's whole text. `host` makes the events' identifiers unique in the world. */
export function toIcs(list: readonly Actividad[], host: string, now: Date): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${product.name}//ES`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...list.flatMap((actividad) => eventLines(actividad, host, now)),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

/** Hands the file to the browser, which opens it in a calendar or saves it. */
export function downloadIcs(list: readonly Actividad[], name: string): void {
  const text = toIcs(list, window.location.hostname, new Date())
  const url = URL.createObjectURL(new Blob([text], { type: 'text/calendar;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.ics`
  link.click()
  // After the click has been handled: some browsers read the address late.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
