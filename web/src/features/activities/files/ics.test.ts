import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ActividadRow } from '#lib/database.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { foldLine, toIcs } from './ics.ts'

const NOW = new Date('2026-11-21T11:30:00.123Z')
const octets = (text: string) => new TextEncoder().encode(text).length

type Golden = { row: ActividadRow; lines: string[] }

/** The very events that the subscribed calendar has: tests/db reads the same file. */
const golden = JSON.parse(readFileSync('../tests/golden/calendar_events.json', 'utf8')) as Golden[]

const lines = (list: Actividad[]) => toIcs(list, NOW).replaceAll('\r\n ', '').split('\r\n')

describe('the calendar file', () => {
  it('is a calendar around its events', () => {
    expect(lines([])).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Planes en Pareja//ES',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'END:VCALENDAR',
      '',
    ])
  })

  it.each(golden)(
    'describes $row.titulo as the subscribed calendar does',
    ({ row, lines: wanted }) => {
      expect(lines([row as Actividad]).slice(5, -2)).toEqual(wanted)
    },
  )

  it('is stamped now where nobody knows when a plan was proposed', () => {
    expect(lines([rowOf({ id: 'b' }) as Actividad])).toContain('DTSTAMP:20261121T113000Z')
  })

  it.each(['x'.repeat(300), 'ñ'.repeat(120), '👩‍❤️‍👨'.repeat(40), `a${'€'.repeat(90)}`])(
    'folds after 75 octets, never within a character (%#)',
    (text) => {
      const folded = foldLine(text)
      for (const line of folded.split('\r\n')) expect(octets(line)).toBeLessThanOrEqual(75)
      expect(folded.replaceAll('\r\n ', '')).toBe(text)
      expect(folded).not.toContain('\ufffd')
    },
  )

  it('leaves a line of 75 octets whole', () => {
    expect(foldLine('x'.repeat(75))).toBe('x'.repeat(75))
    expect(foldLine('x'.repeat(76))).toBe(`${'x'.repeat(75)}\r\n x`)
  })
})
