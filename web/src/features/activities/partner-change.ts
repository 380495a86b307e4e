/** Whether a live event is news from the partner, or this person's own doing coming back. */
import type { Actividad } from './api.ts'
import { type OwnEcho, onlyMovedCouple } from './own-echo.ts'

type Change =
  | {
      eventType: 'INSERT' | 'UPDATE'
      new: { id: string } & Partial<Omit<Actividad, 'presupuesto'>>
    }
  | { eventType: 'DELETE' }

type Context = {
  userId: string
  ownEcho: OwnEcho
  /** The activities as they were last read, if they were. */
  list: readonly Actividad[] | undefined
  now: number
}

export type PartnerNews = { kind: 'updated' | 'proposed'; id: string }

/** null for deletions, own changes, and the move to the couple's id at pairing. */
export function partnerNews(change: Change, context: Context): PartnerNews | null {
  if (change.eventType === 'DELETE') return null
  const { userId, ownEcho, list, now } = context
  const { new: row } = change
  if (change.eventType === 'INSERT')
    return row.creador_id === userId ? null : { kind: 'proposed', id: row.id }
  const echo = ownEcho.swallow(row.id, now)
  if (echo || row.aceptado_por === userId || onlyMovedCouple(list, row)) return null
  return { kind: 'updated', id: row.id }
}
