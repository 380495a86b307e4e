import { describe, expect, it } from 'vitest'
import { budgetText, formatCents, formatEuros, parseBudget, readAs, sumCents } from './money.ts'

const NBSP = '\u00a0'

describe('money', () => {
  it('is written in euros as Spanish writes them', () => {
    expect(formatEuros(1234.5)).toBe(`1234,50${NBSP}€`)
    expect(formatEuros(12345.67)).toBe(`12.345,67${NBSP}€`)
    expect(formatCents(0)).toBe(`0,00${NBSP}€`)
  })

  it('adds in whole cents, and null counts for nothing', () => {
    expect(sumCents([0.1, 0.2, null])).toBe(30)
    expect(sumCents([1.005, 4.35])).toBe(100 + 435)
    expect(sumCents([9_999_999_999.99, 0.01])).toBe(1_000_000_000_000)
  })

  it.each([
    ['', null],
    ['  ', null],
    ['12', 12],
    ['12,5', 12.5],
    ['12.50', 12.5],
    ['0', 0],
    ['1.234,50', 1234.5],
    ['1,234.50', 1234.5],
    ['12 €', 12],
    ['-0', 0],
    ['1.234', 1234],
    ['1.000.000', 1_000_000],
    ['1,000,000', 1_000_000],
    [',5', 0.5],
    ['.5', 0.5],
    ['12,', 12],
  ])('reads %j as %j', (text, value) => {
    expect(parseBudget(text)).toEqual({ ok: true, value })
  })

  it.each([
    ['doce', 'not-a-number'],
    ['1e3', 'not-a-number'],
    ['1,2,3', 'not-a-number'],
    [',', 'not-a-number'],
    ['1.2345', 'too-precise'],
    ['1.23.456', 'not-a-number'],
    ['-5', 'negative'],
    ['12,505', 'too-precise'],
    ['1,234', 'too-precise'],
    ['0.123', 'too-precise'],
    ['-1.234', 'negative'],
    ['10000000000', 'too-large'],
  ])('refuses %j as %s', (text, reason) => {
    expect(parseBudget(text)).toEqual({ ok: false, reason })
  })

  it('says how thousands were read, and nothing where there is no doubt', () => {
    expect(readAs('1.234')).toBe('1234,00\u00a0€')
    for (const text of ['12,50', '1234', '12,345', 'mil', '']) expect(readAs(text)).toBeNull()
  })

  it('writes a stored amount back as people type it', () => {
    expect(budgetText(null)).toBe('')
    expect(budgetText(12)).toBe('12')
    expect(budgetText(12.5)).toBe('12,50')
    for (const amount of [0, 0.01, 48, 1234.5])
      expect(parseBudget(budgetText(amount))).toEqual({ ok: true, value: amount })
  })
})
