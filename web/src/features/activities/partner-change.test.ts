import { describe, expect, it } from 'vitest'
import { ANA, COUPLE, LUIS } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { createOwnEcho, ECHO_WINDOW_MS } from './own-echo.ts'
import { partnerNews } from './partner-change.ts'

const activity = (given: Partial<Actividad> = {}) => rowOf({ id: 'a', ...given }) as Actividad
const context = (ownEcho = createOwnEcho(), list?: Actividad[], now = 0) => ({
  userId: ANA,
  ownEcho,
  list,
  now,
})
const updated = (given: Partial<Actividad> = {}) => ({
  eventType: 'UPDATE' as const,
  new: activity(given),
})

describe('news from the partner', () => {
  it('is an update that this tab did not make', () => {
    const change = updated({ estado: 'aceptado', aceptado_por: LUIS })
    expect(partnerNews(change, context())).toEqual({ kind: 'updated', id: 'a' })
  })

  it('is not the echo of one’s own answer, and only its one echo', () => {
    const echo = createOwnEcho()
    echo.expect('a', 0)
    const change = updated({ estado: 'rechazado' })
    expect(partnerNews(change, context(echo, undefined, ECHO_WINDOW_MS))).toBeNull()
    expect(partnerNews(change, context(echo, undefined, ECHO_WINDOW_MS))).not.toBeNull()
  })

  it('is no echo any more after ten seconds, or when the answer failed', () => {
    const echo = createOwnEcho()
    echo.expect('a', 0)
    expect(partnerNews(updated(), context(echo, undefined, 10_001))).not.toBeNull()
    echo.expect('a', 0)
    echo.forget('a')
    expect(partnerNews(updated(), context(echo, undefined, 1))).not.toBeNull()
  })

  it('is not what this person accepted in another tab', () => {
    const change = updated({ estado: 'aceptado', aceptado_por: ANA })
    expect(partnerNews(change, context())).toBeNull()
  })

  it('is not the move to the couple’s id when two people pair', () => {
    const moved = updated({ pareja_id: COUPLE })
    const alone = activity({ pareja_id: ANA })
    expect(partnerNews(moved, context(createOwnEcho(), [alone]))).toBeNull()
    // The partner's own, which was out of sight until then.
    expect(partnerNews(moved, context(createOwnEcho(), []))).toBeNull()
    const answered = updated({ estado: 'aceptado', aceptado_por: LUIS })
    expect(partnerNews(answered, context(createOwnEcho(), []))).not.toBeNull()
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
