import { describe, expect, it } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { foldLine, toIcs } from './ics.ts'

const NOW = new Date('2026-11-21T11:30:00.123Z')
const octets = (text: string) => new TextEncoder().encode(text).length

const dinner = rowOf({
  id: 'a1',
  titulo: 'Cena; tú, yo \\ y más',
  descripcion: 'Línea 1\nLínea 2',
  fecha: '2026-12-31',
  presupuesto: 1234.5,
  estado: 'aceptado',
}) as Actividad

const lines = (list: Actividad[]) =>
  toIcs(list, 'planes.example', NOW).replaceAll('\r\n ', '').split('\r\n')

describe('the calendar file', () => {
  it('describes an all-day event that ends the next day, with an alarm the day before', () => {
    expect(lines([dinner])).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Planes en Pareja//ES',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'BEGIN:VEVENT',
      'UID:a1@planes.example',
      'DTSTAMP:20261121T113000Z',
      'DTSTART;VALUE=DATE:20261231',
      'DTEND;VALUE=DATE:20270101',
      'SUMMARY:Cena\\; tú\\, yo \\\\ y más',
      'DESCRIPTION:Línea 1\\nLínea 2\\nPresupuesto: 1234\\,50\u00a0€',
      'STATUS:CONFIRMED',
      'TRANSP:TRANSPARENT',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:Mañana: Cena\\; tú\\, yo \\\\ y más',
      'TRIGGER:-P1D',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
  })

  it('calls a pending plan tentative, and leaves out what there is not', () => {
    const plain = lines([rowOf({ id: 'b' }) as Actividad])
    expect(plain).toContain('STATUS:TENTATIVE')
    expect(plain.filter((line) => line.startsWith('DESCRIPTION'))).toEqual([
      'DESCRIPTION:Mañana: b',
    ])
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
