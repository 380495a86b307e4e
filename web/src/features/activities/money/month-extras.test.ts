import { describe, expect, it } from 'vitest'
import { ANA, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { indexByMonth } from '../month-index.ts'
import { upcomingOf, waitingFor } from '../overview/waiting.ts'
import { historyOf, moneyOf } from './month-money.ts'

const activity = (given: Partial<Actividad> & { id: string }) => rowOf(given) as Actividad

describe('what waits for an answer', () => {
  const list = [
    activity({ id: 'past', fecha: '2026-03-01', creador_id: LUIS }),
    activity({ id: 'today', fecha: '2026-03-09', creador_id: LUIS }),
    activity({ id: 'mine', fecha: '2026-03-10', creador_id: ANA }),
    activity({ id: 'done', fecha: '2026-03-11', creador_id: LUIS, estado: 'rechazado' }),
    activity({ id: 'later', fecha: '2027-01-01', creador_id: LUIS }),
  ]
  const ids = (rows: readonly Actividad[]) => rows.map(({ id }) => id)

  it('is every pending proposal of the partner, soonest first and what has passed last', () => {
    expect(ids(waitingFor(list, ANA, '2026-03-09'))).toEqual(['today', 'later', 'past'])
    expect(ids(waitingFor(list, ANA, '2026-01-01'))).toEqual(['past', 'today', 'later'])
  })

  it('C10 has of what repeats the soonest that is still to come', () => {
    const repeated = ['2026-03-01', '2026-03-08', '2026-03-15'].map((fecha) =>
      activity({ id: fecha, fecha, creador_id: LUIS, serie_id: 's', regla: 'semanal' }),
    )
    expect(ids(waitingFor(repeated, ANA, '2026-03-02'))).toEqual(['2026-03-08'])
    expect(ids(waitingFor(repeated, ANA, '2026-04-01'))).toEqual(['2026-03-01'])
  })
})

describe('what comes next', () => {
  it('is the next three accepted plans, today’s among them, of any month', () => {
    const days = ['2026-02-28', '2026-03-09', '2026-03-10', '2026-07-01', '2028-02-29']
    const list = days.map((fecha) => activity({ id: fecha, fecha, estado: 'aceptado' }))
    const rows = [...list, activity({ id: 'open', fecha: '2026-03-09' })]
    expect(upcomingOf(rows, '2026-03-09').map(({ id }) => id)).toEqual(days.slice(1, 4))
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
    expect(moneyOf('2026-03', inMonth)).toEqual({ accepted: 1010, pending: 500 })
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
