import { describe, expect, it } from 'vitest'
import { ANA, Backend } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import {
  type Actividad,
  answerActividad,
  createActividad,
  deleteActividad,
  listActividades,
} from './api.ts'

const PATH = '/rest/v1/actividades'
const never = new AbortController().signal

describe('the calls on activities', () => {
  it('lists every row by date, and reads amounts as numbers', async () => {
    const rows = [rowOf({ id: 'a', presupuesto: '12.50' }), rowOf({ id: 'b', presupuesto: 3 })]
    Backend.current.on('GET', PATH, () => ({ body: rows }))
    const list = await listActividades(never)
    expect(list.map(({ presupuesto }) => presupuesto)).toEqual([12.5, 3])
    const [call] = Backend.current.called('GET', PATH)
    expect(String(call?.query)).toBe('select=*&order=fecha.asc')
  })

  it('keeps one order within a date, whatever order the server gives', async () => {
    const at = (time: string) => `2026-03-01T10:00:00${time}+00:00`
    const rows = [
      rowOf({ id: 'd', fecha: '2026-03-02', creado_en: at('') }),
      rowOf({ id: 'b', fecha: '2026-03-03', creado_en: at('.1') }),
      rowOf({ id: 'c', fecha: '2026-03-03', creado_en: at('.12') }),
      rowOf({ id: 'a', fecha: '2026-03-03', creado_en: at('.12') }),
      rowOf({ id: 'e', fecha: '2026-03-03', creado_en: at('') }),
    ]
    Backend.current.on('GET', PATH, () => ({ body: rows }))
    const read = async () => (await listActividades(never)).map(({ id }) => id)
    expect(await read()).toEqual(['d', 'e', 'b', 'a', 'c'])
    rows.push(...rows.splice(1, 2))
    expect(await read()).toEqual(['d', 'e', 'b', 'a', 'c'])
  })

  it('reads on behind a full page, without losing or repeating a row', async () => {
    const day = (index: number) => `2026-01-${String(1 + Math.floor(index / 250)).padStart(2, '0')}`
    const rows = Array.from({ length: 2100 }, (_, index) =>
      rowOf({ id: `id-${String(index).padStart(4, '0')}`, fecha: day(index) }),
    )
    Backend.current.on('GET', PATH, ({ query }) => {
      const from = query.get('fecha')?.replace('gte.', '') ?? ''
      const start = Number(query.get('offset') ?? 0)
      const rest = rows.filter(({ fecha }) => fecha >= from)
      // Ties in another order than on the page before, as a server may answer them.
      if (!query.has('offset'))
        rest.sort((a, b) => a.fecha.localeCompare(b.fecha) || (a.id < b.id ? 1 : -1))
      return { body: rest.slice(start, start + 1000) }
    })
    const list = await listActividades(never)
    expect(new Set(list.map(({ id }) => id)).size).toBe(2100)
    expect(list).toHaveLength(2100)
    expect(list.map(({ fecha }) => fecha)).toEqual(rows.map(({ fecha }) => fecha))
  })

  it('reads on where the server answers fewer at once than were asked for', async () => {
    const rows = Array.from({ length: 230 }, (_, index) => rowOf({ id: `id-${1000 + index}` }))
    Backend.current.on('GET', PATH, ({ query }) => {
      const start = Number(query.get('offset') ?? 0)
      return { body: rows.slice(start, start + 100) }
    })
    expect(await listActividades(never)).toHaveLength(230)
  })

  it('inserts exactly the specified fields', async () => {
    Backend.current.on('POST', PATH, () => ({ status: 201 }))
    const { id: _id, aceptado_por: _none, ...row } = rowOf({ id: 'x' })
    await createActividad(row)
    expect(Backend.current.called('POST', PATH)[0]?.body).toEqual(row)
  })

  it('accepts with the acting user and rejects with nobody', async () => {
    Backend.current.on('PATCH', PATH, () => ({ body: [{ id: 'a' }] }))
    const plan = rowOf({ id: 'a' }) as Actividad
    await answerActividad(plan, 'aceptado', ANA)
    await answerActividad({ ...plan, revision: 3 }, 'rechazado', ANA)
    const calls = Backend.current.called('PATCH', PATH)
    expect(calls.map(({ body }) => body)).toEqual([
      { estado: 'aceptado', aceptado_por: ANA },
      { estado: 'rechazado', aceptado_por: null },
    ])
    expect(String(calls[0]?.query)).toBe('id=eq.a&select=id')
    expect(String(calls[1]?.query)).toBe('id=eq.a&revision=eq.3&select=id')
  })

  it('takes an answer without rows for a failure', async () => {
    Backend.current.on('PATCH', PATH, () => ({ body: [] })).on('DELETE', PATH, () => ({ body: [] }))
    await expect(answerActividad(rowOf({ id: 'a' }) as Actividad, 'aceptado', ANA)).rejects.toThrow(
      /changed no row/,
    )
    await expect(deleteActividad('a')).rejects.toThrow(/changed no row/)
  })
})
