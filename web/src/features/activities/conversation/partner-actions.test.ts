import { describe, expect, it, vi } from 'vitest'
import type { ActividadRow } from '#lib/database.ts'
import { ANA, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { gather, partnerActionOf, sentencesOf } from './partner-actions.ts'

const NOW = '2026-11-23T10:00:00Z'
const theirs = rowOf({ id: 'a', titulo: 'Cena', creador_id: LUIS, creado_en: NOW })
const inserted = (row: Partial<ActividadRow>) =>
  partnerActionOf(
    { eventType: 'INSERT', new: { ...theirs, ...row }, commit_timestamp: NOW },
    ANA,
    [],
  )

describe('what is said of the partner', () => {
  it('is a proposal, or a plan that is back', () => {
    expect(inserted({})?.kind).toBe('proposed')
    expect(inserted({ creado_en: '2026-11-20T10:00:00Z' })?.kind).toBe('recovered')
    expect(inserted({ creador_id: ANA })).toBeNull()
  })

  it('is not the other date that comes with a rejection, which is said as an update', () => {
    expect(inserted({ origen_id: 'b' })).toBeNull()
    expect(inserted({ origen_id: 'b', creado_en: '2026-11-20T10:00:00Z' })?.kind).toBe('recovered')
  })

  it('is the deletion of what was accepted', () => {
    const of = (row: Partial<ActividadRow>) =>
      partnerActionOf({ eventType: 'DELETE', old: { id: 'a' } }, ANA, [
        { ...theirs, ...row } as Actividad,
      ])
    expect(of({ estado: 'aceptado' })?.titulo).toBe('Cena')
    expect(of({ estado: 'pendiente' })).toBeNull()
    expect(of({ estado: 'aceptado', creador_id: ANA })).toBeNull()
    expect(partnerActionOf({ eventType: 'DELETE', old: {} }, ANA, undefined)).toBeNull()
    expect(partnerActionOf({ eventType: 'UPDATE' }, ANA, [])).toBeNull()
  })

  it('is one sentence for what came together', () => {
    const one = { kind: 'proposed', titulo: 'Cena', serie: '' } as const
    const dance = { kind: 'proposed', titulo: 'Baile', serie: 's' } as const
    const gone = { kind: 'deleted', titulo: 'Cine', serie: '' } as const
    expect(sentencesOf('Luis', [one])).toEqual(['Luis propone «Cena»'])
    expect(sentencesOf('Luis', [one, dance, gone])).toEqual([
      'Luis propone 2 planes',
      'Luis ha eliminado «Cine»',
    ])
    expect(sentencesOf('Luis', [dance, dance])).toEqual(['Luis propone «Baile», 2 fechas'])
    expect(sentencesOf('Luis', [gone, gone])).toEqual(['Luis ha eliminado 2 planes'])
  })

  it('0.7 is one notification for all of its kind within 1.5 seconds', () => {
    vi.useFakeTimers()
    const said: string[] = []
    const hear = (titulo: string) =>
      gather({ kind: 'proposed', titulo, serie: '' }, 'Luis', (sentence) => said.push(sentence))
    hear('Cena')
    vi.advanceTimersByTime(1400)
    hear('Cine')
    vi.advanceTimersByTime(100)
    expect(said).toEqual(['Luis propone 2 planes'])
    hear('Baile')
    vi.advanceTimersByTime(1500)
    expect(said).toEqual(['Luis propone 2 planes', 'Luis propone «Baile»'])
    vi.useRealTimers()
  })
})
