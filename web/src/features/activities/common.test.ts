import { describe, expect, it } from 'vitest'
import { ANA, COUPLE, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { partsOf } from './common.ts'

const rows = [
  rowOf({ id: 'ours' }),
  rowOf({ id: 'his', creador_id: LUIS }),
  rowOf({ id: 'alone', pareja_id: ANA }),
  rowOf({ id: 'former', pareja_id: 'former-couple' }),
] as Actividad[]

const split = (pareja_id: string | null) => {
  const { common, before } = partsOf(rows, { id: ANA, nombre: 'Ana', pareja_id })
  return [common.map(({ id }) => id), before.map(({ id }) => id)]
}

describe('what is common', () => {
  it('B3 is the couple’s while there is one', () => {
    expect(split(COUPLE)).toEqual([
      ['ours', 'his'],
      ['alone', 'former'],
    ])
  })

  it('B3 is what was proposed alone while there is none', () => {
    expect(split(null)).toEqual([
      ['his', 'alone'],
      ['ours', 'former'],
    ])
  })

  it('is the very list where nothing is from before', () => {
    const list = rows.slice(0, 2)
    expect(partsOf(list, { id: ANA, nombre: 'Ana', pareja_id: COUPLE }).common).toBe(list)
  })
})
