/** Tells our own updates, which come back as events, from the partner's. */
import type { Actividad } from './api.ts'

/** How long after our update its one echo is still taken for ours. */
export const ECHO_WINDOW_MS = 10_000

export type OwnEcho = {
  /** Call before the request is sent: its event may arrive before its answer. */
  expect: (id: string, now: number) => void
  forget: (id: string) => void
  /** True once for an expected id, within the window. */
  swallow: (id: string, now: number) => boolean
}

export function createOwnEcho(): OwnEcho {
  const expected = new Map<string, number>()
  return {
    expect: (id, now) => void expected.set(id, now),
    forget: (id) => void expected.delete(id),
    swallow: (id, now) => {
      const since = expected.get(id)
      expected.delete(id)
      return since !== undefined && now - since <= ECHO_WINDOW_MS
    },
  }
}

type Changed = Pick<Actividad, 'id' | 'estado' | 'aceptado_por' | 'pareja_id'>

/**
 * Pairing moves activities to the couple's id: an update that answers nothing. One's own were in the list
 * with another couple; the partner's come into view by it, and were not there at all.
 */
export function onlyMovedCouple(
  list: readonly Changed[] | undefined,
  after: Partial<Changed>,
): boolean {
  if (!list) return false
  const before = list.find(({ id }) => id === after.id)
  if (!before) return after.estado === 'pendiente'
  return (
    before.pareja_id !== after.pareja_id &&
    before.estado === after.estado &&
    before.aceptado_por === after.aceptado_por
  )
}
