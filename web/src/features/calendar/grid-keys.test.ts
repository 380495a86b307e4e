import { describe, expect, it } from 'vitest'
import { dayAfterKey, dayAfterKeyInWeek } from './grid-keys.ts'

const TODAY = '2026-11-21'
const go = (key: string, from: string, ctrlKey = false) =>
  dayAfterKey({ key, ctrlKey }, from, TODAY)

describe('the keys of the grid', () => {
  it.each([
    ['ArrowLeft', '2026-03-01', '2026-02-28'],
    ['ArrowRight', '2026-12-31', '2027-01-01'],
    ['ArrowUp', '2026-03-03', '2026-02-24'],
    ['ArrowDown', '2026-03-30', '2026-04-06'],
    ['Home', '2026-03-04', '2026-03-01'],
    ['End', '2026-03-04', '2026-03-07'],
    ['PageUp', '2026-03-31', '2026-02-28'],
    ['PageDown', '2026-12-15', '2027-01-15'],
  ])('%s leads from %s to %s', (key, from, to) => {
    expect(go(key, from)).toBe(to)
  })

  it('Ctrl+Home leads to today', () => {
    expect(go('Home', '2020-01-01', true)).toBe(TODAY)
  })

  it.each([
    ['PageUp', '2027-01-02', '2026-12-26'],
    ['PageDown', '2026-12-27', '2027-01-03'],
    ['ArrowLeft', '2027-01-01', '2026-12-31'],
    ['End', '2026-12-31', '2027-01-02'],
    ['a', '2026-12-31', null],
  ])('in a week %s leads from %s to %s', (key, from, to) => {
    expect(dayAfterKeyInWeek({ key, ctrlKey: false }, from, TODAY)).toBe(to)
  })

  it('leaves other keys alone', () => {
    for (const key of ['a', 'Tab', 'Enter', ' ', 'Escape']) expect(go(key, TODAY)).toBeNull()
  })
})
