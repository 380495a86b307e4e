import { describe, expect, it } from 'vitest'
import { ANA, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { indexByMonth } from './month-index.ts'
import { historyOf, moneyOf } from './month-money.ts'
import { waitingCount, waitingMonths } from './waiting.ts'

const activity = (given: Partial<Actividad> & { id: string }) => rowOf(given) as Actividad

describe('what waits for an answer', () => {
  it('is every pending proposal of the partner, month by month', () => {
    const months = waitingMonths(
      [
        activity({ id: 'a', fecha: '2026-03-01', creador_id: LUIS }),
        activity({ id: 'b', fecha: '2026-03-09', creador_id: LUIS }),
        activity({ id: 'mine', fecha: '2026-03-10', creador_id: ANA }),
        activity({ id: 'done', fecha: '2026-03-11', creador_id: LUIS, estado: 'rechazado' }),
        activity({ id: 'c', fecha: '2027-01-01', creador_id: LUIS }),
      ],
      ANA,
    )
    expect(months).toEqual([
      { mes: '2026-03', count: 2, firstId: 'a' },
      { mes: '2027-01', count: 1, firstId: 'c' },
    ])
    expect(waitingCount(months)).toBe(3)
  })
})

describe('the money of a month', () => {
  const list = [
    activity({ id: 'a', fecha: '2026-01-05', estado: 'aceptado', presupuesto: 40 }),
    activity({ id: 'b', fecha: '2026-03-05', estado: 'aceptado', presupuesto: 10.1 }),
    activity({ id: 'c', fecha: '2026-03-06', presupuesto: 5 }),
    activity({ id: 'd', fecha: '2026-03-07', estado: 'rechazado', presupuesto: 99 }),
  ]
  const { inMonth } = indexByMonth(list)

  it('tells the accepted from what is to be confirmed', () => {
    expect(moneyOf(inMonth('2026-03'))).toEqual({ accepted: 1010, pending: 500 })
  })

  it('shows the six months up to it, across the new year', () => {
    const history = historyOf('2026-03', inMonth)
    expect(history.map(({ mes }) => mes)).toEqual([
      '2025-10',
      '2025-11',
      '2025-12',
      '2026-01',
      '2026-02',
      '2026-03',
    ])
    expect(history.map(({ cents }) => cents)).toEqual([0, 0, 0, 4000, 0, 1010])
    expect(history.at(3)?.share).toBe(1)
    expect(historyOf('2020-01', inMonth).every(({ share }) => share === 0)).toBe(true)
  })
})
