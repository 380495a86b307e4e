import { describe, expect, it } from 'vitest'
import { monthGrid } from './month-grid.ts'

describe('the month grid', () => {
  it('is always six weeks of seven days', () => {
    for (const mes of ['2026-02', '2026-03', '2026-08', '2028-02']) {
      expect(monthGrid(mes)).toHaveLength(6)
      expect(monthGrid(mes).every((week) => week.length === 7)).toBe(true)
    }
  })

  it('starts on Sunday and leaves other months empty', () => {
    const [first, second] = monthGrid('2026-04')
    expect(first).toEqual([
      null,
      null,
      null,
      '2026-04-01',
      '2026-04-02',
      '2026-04-03',
      '2026-04-04',
    ])
    expect(second?.[0]).toBe('2026-04-05')
    expect(monthGrid('2026-04').flat().filter(Boolean)).toHaveLength(30)
  })
})
