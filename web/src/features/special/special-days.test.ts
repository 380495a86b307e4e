import { describe, expect, it } from 'vitest'
import { aheadOf, dayIn, inYear, type SpecialDay } from './special-days.ts'

const day = (fecha: string, cada_ano = true): SpecialDay => ({
  id: fecha,
  titulo: 'Nuestro aniversario',
  fecha,
  cada_ano,
})

describe('special days', () => {
  it('C9 come every year from their first on, on the 28th of a February without a 29th', () => {
    expect(dayIn(2027, day('2024-02-29'))).toBe('2027-02-28')
    expect(dayIn(2028, day('2024-02-29'))).toBe('2028-02-29')
    expect(dayIn(2023, day('2024-02-29'))).toBeNull()
    expect(dayIn(2027, day('2026-11-22', false))).toBeNull()
    expect(dayIn(2026, day('2026-11-22', false))).toBe('2026-11-22')
  })

  it('C9.1 count the years, one of them in the singular, none at first', () => {
    const words = (year: number) => [...inYear(year, [day('2024-11-27')]).values()].flat()
    expect(words(2024)).toEqual(['Nuestro aniversario'])
    expect(words(2025)).toEqual(['Nuestro aniversario, 1 año'])
    expect(words(2027)).toEqual(['Nuestro aniversario, 3 años'])
  })

  it('are told from two weeks before on, over the new year too', () => {
    const days = (today: string, fecha: string) =>
      aheadOf(today, [day(fecha)]).map((one) => one.days)
    expect(days('2027-11-13', '2024-11-27')).toEqual([14])
    expect(days('2027-11-12', '2024-11-27')).toEqual([])
    expect(days('2027-11-27', '2024-11-27')).toEqual([0])
    expect(days('2027-11-28', '2024-11-27')).toEqual([])
    expect(days('2026-12-30', '2024-01-02')).toEqual([3])
  })
})
