import { describe, expect, it } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { type Draft, draftLike, emptyDraft, toRow } from './draft.ts'
import { findDraftErrors, toChanges } from './draft-rules.ts'

const filled = { titulo: ' Cena ', descripcion: '  ', fecha: '2026-03-01', presupuesto: '' }

const rowFrom = (draft: Draft, author: Parameters<typeof toRow>[1]) =>
  toRow(toChanges(draft), author)

describe('the creation form', () => {
  it('requires a title after trimming, and a date', () => {
    expect(findDraftErrors({ ...emptyDraft(''), titulo: '   ' })).toEqual({
      titulo: 'El título es requerido',
      fecha: 'La fecha es requerida',
    })
    expect(findDraftErrors(filled)).toEqual({})
  })

  it('refuses a negative budget and a third decimal', () => {
    expect(findDraftErrors({ ...filled, presupuesto: '-1' })).toHaveProperty('presupuesto')
    expect(findDraftErrors({ ...filled, presupuesto: '1,005' })).toHaveProperty('presupuesto')
  })

  it('makes a pending row: trimmed, with null for what is empty', () => {
    expect(rowFrom(filled, { userId: 'ana', parejaId: 'couple' })).toEqual({
      titulo: 'Cena',
      descripcion: null,
      fecha: '2026-03-01',
      presupuesto: null,
      estado: 'pendiente',
      creador_id: 'ana',
      pareja_id: 'couple',
    })
  })

  it('falls back to the user’s own id without a couple, and reads «12,50»', () => {
    const row = rowFrom({ ...filled, presupuesto: '12,50' }, { userId: 'ana', parejaId: null })
    expect(row).toMatchObject({ pareja_id: 'ana', presupuesto: 12.5 })
  })

  it('repeats a proposal without its date', () => {
    const actividad = rowOf({ id: 'Cena', presupuesto: 12.5 }) as Actividad
    expect(draftLike(actividad)).toEqual({
      titulo: 'Cena',
      descripcion: '',
      fecha: '',
      presupuesto: '12,50',
    })
  })
})
