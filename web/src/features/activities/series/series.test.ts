import { describe, expect, it } from 'vitest'
import { datesOf, latestEnd, MAX_DATES, suggestedEnd } from './series.ts'

describe('the dates of a plan that repeats', () => {
  it('C10 are a week or two apart, over the new year too', () => {
    expect(datesOf('2026-12-20', 'semanal', '2027-01-05')).toEqual([
      '2026-12-20',
      '2026-12-27',
      '2027-01-03',
    ])
    expect(datesOf('2026-12-20', 'quincenal', '2027-01-05')).toEqual(['2026-12-20', '2027-01-03'])
  })

  it('C10 keep the day of the month, or its last where the month is shorter', () => {
    expect(datesOf('2027-12-31', 'mensual', '2028-03-31')).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
    ])
    expect(datesOf('2028-02-29', 'anual', '2030-03-01')).toEqual([
      '2028-02-29',
      '2029-02-28',
      '2030-02-28',
    ])
  })

  it('C10.1 are never more than one too many', () => {
    expect(datesOf('2026-01-01', 'semanal', '9999-12-31')).toHaveLength(MAX_DATES + 1)
    expect(datesOf('9999-12-01', 'semanal', '9999-12-31')).toHaveLength(5)
  })

  it('C10 end within two years', () => {
    expect(latestEnd('2028-02-29')).toBe('2030-02-28')
    expect(datesOf('2026-11-23', 'semanal', suggestedEnd('2026-11-23', 'semanal'))).toHaveLength(12)
  })
})
