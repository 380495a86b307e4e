import { describe, expect, it } from 'vitest'
import { ANA, COUPLE, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { partnerNews } from './partner-change.ts'

const activity = (given: Partial<Actividad> = {}) => rowOf({ id: 'a', ...given }) as Actividad
const context = (list?: Actividad[]) => ({ userId: ANA, list })
const updated = (given: Partial<Actividad> = {}) => ({
  eventType: 'UPDATE' as const,
  new: activity(given),
})

describe('news from the partner', () => {
  it('is an answer to one’s own proposal', () => {
    const change = updated({ estado: 'aceptado', aceptado_por: LUIS })
    expect(partnerNews(change, context())).toEqual({ kind: 'updated', id: 'a' })
    expect(partnerNews(updated({ estado: 'rechazado' }), context())).not.toBeNull()
  })

  it('is not one’s own answer, whichever device gave it', () => {
    const accepted = updated({ creador_id: LUIS, estado: 'aceptado', aceptado_por: ANA })
    expect(partnerNews(accepted, context())).toBeNull()
    expect(partnerNews(updated({ creador_id: LUIS, estado: 'rechazado' }), context())).toBeNull()
  })

  it('is an update of which only the id is told', () => {
    expect(partnerNews({ eventType: 'UPDATE', new: { id: 'a' } }, context([]))).not.toBeNull()
  })

  it('is not the move to the couple’s id when two people pair', () => {
    const moved = updated({ pareja_id: COUPLE })
    const alone = activity({ pareja_id: ANA })
    expect(partnerNews(moved, context([alone]))).toBeNull()
    // The partner's own, which was out of sight until then.
    expect(partnerNews(moved, context([]))).toBeNull()
    const answered = updated({ estado: 'aceptado', aceptado_por: LUIS })
    expect(partnerNews(answered, context([]))).not.toBeNull()
  })

  it('is not one’s own edit of what waits, but that an acceptance is gone', () => {
    const edited = updated({ titulo: 'Otro' })
    expect(partnerNews(edited, context([activity()]))).toBeNull()
    const accepted = activity({ estado: 'aceptado', aceptado_por: LUIS })
    expect(partnerNews(edited, context([accepted]))).toEqual({ kind: 'updated', id: 'a' })
    const theirs = updated({ creador_id: LUIS })
    expect(partnerNews(theirs, context([activity({ creador_id: LUIS })]))).not.toBeNull()
  })

  it('is a proposal of the partner, and no deletion', () => {
    const proposal = (creador_id: string) => ({
      eventType: 'INSERT' as const,
      new: activity({ creador_id }),
    })
    expect(partnerNews(proposal(LUIS), context())).toEqual({ kind: 'proposed', id: 'a' })
    expect(partnerNews(proposal(ANA), context())).toBeNull()
    expect(partnerNews({ eventType: 'DELETE' }, context())).toBeNull()
  })
})
