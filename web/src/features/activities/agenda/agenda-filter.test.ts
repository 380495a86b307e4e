import { expect, it } from 'vitest'
import { ANA, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { foundIn, isFiltered } from './agenda-filter.ts'

const common = [
  rowOf({ id: 'Cena', descripcion: 'Cumpleaños del niño', estado: 'aceptado' }),
  rowOf({ id: 'Cine', creador_id: LUIS }),
  rowOf({ id: 'Ópera', creador_id: LUIS, estado: 'rechazado' }),
] as Actividad[]
const before = [rowOf({ id: 'Cena de antes' })] as Actividad[]
const all = { q: '', estado: null, de: null }

it.each([
  [all, ['Cena', 'Cine', 'Ópera']],
  [{ ...all, q: 'nino cena' }, ['Cena']],
  [{ ...all, q: 'opera' }, ['Ópera']],
  [{ ...all, estado: 'pendiente' as const }, ['Cine']],
  [{ ...all, de: 'mi' as const }, ['Cena']],
  [{ ...all, de: 'pareja' as const, q: 'c' }, ['Cine']],
  [{ ...all, de: 'antes' as const, q: 'cena' }, ['Cena de antes']],
])('%o finds %o', (filter, ids) => {
  expect(foundIn({ common, before }, filter, ANA).map(({ id }) => id)).toEqual(ids)
  expect(isFiltered(filter)).toBe(filter !== all)
})
