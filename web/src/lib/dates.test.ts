import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  addDays,
  addMonths,
  dateOf,
  daysIn,
  isFecha,
  longDate,
  monthTitle,
  sameDayIn,
  shortMonth,
  shortWeekday,
  untilMidnight,
  WEEKDAYS,
  weekdayOf,
  weekOf,
  weekTitle,
} from './dates.ts'

function agrees(fecha: string): void {
  const inWords = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('es-ES', { ...options, timeZone: 'UTC' }).format(new Date(fecha))
  const full = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
  expect(longDate(fecha)).toBe(inWords(full))
  expect(monthTitle(fecha.slice(0, 7))).toBe(inWords({ month: 'long', year: 'numeric' }))
  expect(shortWeekday(fecha)).toBe(inWords({ weekday: 'short' }))
  expect(shortMonth(fecha)).toBe(inWords({ month: 'short' }))
}

describe('dates', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('names months and days in Spanish', () => {
    expect(monthTitle('2026-03')).toBe('marzo de 2026')
    expect(longDate('2026-03-03')).toBe('martes, 3 de marzo de 2026')
    expect(shortWeekday('2026-03-03')).toBe('mar')
  })

  it('says what es-ES says, on every day of the week and in every month', () => {
    for (const day of ['01', '02', '03', '04', '05', '06', '07']) agrees(`2026-03-${day}`)
    for (const month of ['01', '02', '04', '05', '06', '07', '08', '09', '10', '11', '12'])
      agrees(`2026-${month}-28`)
    agrees('0999-01-05')
  })

  it('starts the week on Sunday with the specified headers', () => {
    expect(WEEKDAYS.map(({ short }) => short)).toEqual([
      'Dom',
      'Lun',
      'Mar',
      'Mié',
      'Jue',
      'Vie',
      'Sáb',
    ])
    expect(weekdayOf('2026-03-01')).toBe(0)
  })

  it('adds days over months, years and leap days', () => {
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
    expect(addDays('2026-03-29', 1)).toBe('2026-03-30')
  })

  it('keeps the day of the month where it exists, else takes the last', () => {
    expect(sameDayIn('2026-01-31', '2026-02')).toBe('2026-02-28')
    expect(sameDayIn('2026-01-15', '2026-02')).toBe('2026-02-15')
    expect(addMonths('2026-01', -1)).toBe('2025-12')
    expect(daysIn('2028-02')).toBe(29)
  })

  it('recognises real dates alone', () => {
    expect(isFecha('2026-02-28')).toBe(true)
    expect(isFecha('0099-01-01')).toBe(true)
    for (const text of ['', '2026-02-29', '2026-2-3', '12026-01-01', '0000-01-01', 'hoy'])
      expect(isFecha(text)).toBe(false)
  })

  it.each([
    'Pacific/Kiritimati',
    'America/St_Johns',
    'Pacific/Pago_Pago',
    'America/Mexico_City',
    'Europe/Madrid',
  ])('reads and writes dates alike in %s', (zone) => {
    vi.stubEnv('TZ', zone)
    expect(longDate('2026-03-01')).toBe('domingo, 1 de marzo de 2026')
    expect(monthTitle('2026-01')).toBe('enero de 2026')
    expect(weekdayOf('2026-03-01')).toBe(0)
    expect(dateOf(new Date(2026, 2, 1, 0, 0))).toBe('2026-03-01')
    expect(dateOf(new Date(2026, 2, 1, 23, 59))).toBe('2026-03-01')
  })

  it.each([
    ['2026-11-25', '22–28 de noviembre de 2026'],
    ['2026-12-05', '29 de noviembre – 5 de diciembre de 2026'],
    ['2026-12-27', '27 de diciembre de 2026 – 2 de enero de 2027'],
  ])('C15 the week of %s is %s', (fecha, title) => {
    const week = weekOf(fecha)
    expect(week).toHaveLength(7)
    expect(weekdayOf(week[0] ?? '')).toBe(0)
    expect(weekTitle(week[0] ?? '', week[6] ?? '')).toBe(title)
  })

  it('has no day outside of the years that can be written', () => {
    expect(weekOf('9999-12-31').at(-1)).toBe('9999-12-31')
    expect(weekOf('0001-01-01')[0]).toBe('0001-01-01')
  })

  it('measures the time to the next local midnight, on short days too', () => {
    vi.stubEnv('TZ', 'Europe/Madrid')
    expect(untilMidnight(new Date(2026, 0, 1, 23, 59, 59))).toBe(1000)
    expect(untilMidnight(new Date(2026, 2, 29, 0, 0))).toBe(23 * 3600 * 1000)
  })
})
