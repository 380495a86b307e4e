import { describe, expect, it } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { type Draft, draftLike, emptyDraft, toRow } from './draft.ts'
import { findDraftErrors, toChanges } from './draft-rules.ts'

const filled = { ...emptyDraft('2026-03-01'), titulo: ' Cena ', descripcion: '  ' }

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

  it('C3.1 refuses an end before the beginning', () => {
    const errors = (more: Partial<Draft>) => findDraftErrors({ ...filled, ...more })
    expect(errors({ hora_fin: '10:00' })).toHaveProperty('hora')
    expect(errors({ hora: '10:00', hora_fin: '10:00' })).toEqual({
      hora_fin: 'La hora de fin va después de la de inicio',
    })
    expect(errors({ hora: '22:00', hora_fin: '06:00', fecha_fin: '2026-03-02' })).toEqual({})
    expect(errors({ fecha_fin: '2026-03-01' })).toEqual({
      fecha_fin: 'El último día va después del primero',
    })
    expect(errors({ fecha_fin: '2026-05-01' })).toEqual({ fecha_fin: 'Como mucho 60 días' })
    expect(errors({ fecha_fin: '2026-04-30' })).toEqual({})
  })

  it('sends a further key only where its field was filled in, and every one of an edit', () => {
    expect(toChanges({ ...filled, lugar: ' Casa ' })).toEqual({
      ...toChanges(filled),
      lugar: 'Casa',
    })
    expect(Object.keys(toChanges(filled))).toHaveLength(4)
    expect(toChanges({ ...filled, hora: '21:30' }, true)).toMatchObject({
      hora: '21:30',
      hora_fin: null,
      fecha_fin: null,
      lugar: null,
    })
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
      hora: '',
      hora_fin: '',
      fecha_fin: '',
      lugar: '',
      regla: '',
      limite: '',
    })
  })
})
