import { describe, expect, it } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { indexByMonth } from './month-index.ts'
import { totalsOf } from './overview/summary-cards.tsx'

const activity = (given: Partial<Actividad> & { id: string }) => rowOf(given) as Actividad

describe('activities by month', () => {
  it('keep the server’s order by date, and within a day the pending come first', () => {
    const { byDay, inMonth } = indexByMonth([
      activity({ id: 'no', fecha: '2026-03-01', estado: 'rechazado' }),
      activity({ id: 'yes', fecha: '2026-03-01', estado: 'aceptado' }),
      activity({ id: 'maybe', fecha: '2026-03-01' }),
      activity({ id: 'next', fecha: '2026-03-02', estado: 'rechazado' }),
      activity({ id: 'other', fecha: '2026-04-01' }),
    ])
    expect(inMonth('2026-03').map(({ id }) => id)).toEqual(['maybe', 'yes', 'no', 'next'])
    expect(byDay.get('2026-03-01')).toHaveLength(3)
    expect(inMonth('2026-05')).toEqual([])
  })

  it('C3 have what takes several days on each, and once in every month that it touches', () => {
    const { byDay, inMonth } = indexByMonth([
      activity({ id: 'trip', fecha: '2026-03-30', fecha_fin: '2026-04-02', estado: 'aceptado' }),
      activity({ id: 'late', fecha: '2026-04-01', hora: '21:30:00', estado: 'aceptado' }),
      activity({ id: 'early', fecha: '2026-04-01', hora: '09:00:00', estado: 'aceptado' }),
    ])
    expect(inMonth('2026-03').map(({ id }) => id)).toEqual(['trip'])
    expect(inMonth('2026-04').map(({ id }) => id)).toEqual(['trip', 'early', 'late'])
    expect(byDay.get('2026-04-01')?.map(({ id }) => id)).toEqual(['trip', 'early', 'late'])
    expect(byDay.has('2026-04-03')).toBe(false)
  })
})

describe('the totals', () => {
  it('count everything, and add only what is accepted', () => {
    const totals = totalsOf([
      activity({ id: 'a', estado: 'aceptado', presupuesto: 0.1 }),
      activity({ id: 'b', estado: 'aceptado', presupuesto: 0.2 }),
      activity({ id: 'c', estado: 'aceptado', presupuesto: null }),
      activity({ id: 'd', estado: 'rechazado', presupuesto: 100 }),
      activity({ id: 'e', presupuesto: 100 }),
    ])
    expect(totals).toEqual({ pending: 1, accepted: 3, cents: 30 })
  })
})
