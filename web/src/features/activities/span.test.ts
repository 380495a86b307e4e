import { describe, expect, it } from 'vitest'
import { daysOf, whenOf } from './span.ts'

const span = (fecha: string, hora?: string, hora_fin?: string, fecha_fin?: string) => ({
  fecha,
  hora: hora ?? null,
  hora_fin: hora_fin ?? null,
  fecha_fin: fecha_fin ?? null,
})

describe('when a plan is', () => {
  it.each([
    [span('2026-11-27'), null],
    [span('2026-11-27', '21:30:00'), '21:30'],
    [span('2026-11-27', '21:30:00', '23:00:00'), '21:30–23:00'],
    [span('2026-11-27', undefined, undefined, '2026-11-29'), 'vie 27 – dom 29 nov'],
    [span('2026-11-28', undefined, undefined, '2026-12-01'), 'sáb 28 nov – mar 1 dic'],
    [span('2026-11-27', '21:30:00', '06:15:00', '2026-11-29'), 'vie 27, 21:30 – dom 29 nov, 06:15'],
  ])('is told as it was typed (%#)', (given, expected) => {
    expect(whenOf(given)).toBe(expected)
  })

  it('C3.3 has each day once, over a changed clock, a leap day and the new year', () => {
    const days = (fecha: string, fecha_fin: string) => daysOf({ fecha, fecha_fin })
    expect(days('2026-10-24', '2026-10-26')).toEqual(['2026-10-24', '2026-10-25', '2026-10-26'])
    expect(days('2028-02-28', '2028-03-01')).toEqual(['2028-02-28', '2028-02-29', '2028-03-01'])
    expect(days('2026-12-31', '2027-01-01')).toEqual(['2026-12-31', '2027-01-01'])
    expect(daysOf({ fecha: '2026-12-31', fecha_fin: null })).toEqual(['2026-12-31'])
  })
})
