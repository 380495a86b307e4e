/** Whether a live event is a change by the partner or the echo of one's own. */
import type { Actividad } from '../api.ts'

type Change =
  | {
      eventType: 'INSERT' | 'UPDATE'
      new: { id: string } & Partial<Omit<Actividad, 'presupuesto'>>
    }
  | { eventType: 'DELETE' }

type Context = {
  userId: string
  /** The activities as they were last read, if they were. */
  list: readonly Changed[] | undefined
}

type Changed = Pick<Actividad, 'id' | 'estado' | 'aceptado_por' | 'pareja_id'>

type PartnerNews = { kind: 'updated' | 'proposed'; id: string }

/**
 * null for deletions, own changes, and the move to the couple's id at pairing. Only who did not create a plan
 * answers it, so an answer to a plan that is not mine is my own, given here or on another device; and only who
 * created it edits it while it waits.
 */
export function partnerNews(change: Change, context: Context): PartnerNews | null {
  if (change.eventType === 'DELETE') return null
  const { userId, list } = context
  const { new: row } = change
  if (change.eventType === 'INSERT')
    return row.creador_id === userId ? null : { kind: 'proposed', id: row.id }
  const theirs = row.creador_id !== undefined && row.creador_id !== userId
  const answered = row.estado !== undefined && row.estado !== 'pendiente'
  if (row.creador_id === userId && isEdit(list, row)) return null
  if ((theirs && answered) || row.aceptado_por === userId || onlyMovedCouple(list, row)) return null
  return { kind: 'updated', id: row.id }
}

/** A plan that goes from accepted to pending has lost whoever accepted it: that is not an edit. */
function isEdit(list: readonly Changed[] | undefined, after: Partial<Changed>): boolean {
  const before = list?.find(({ id }) => id === after.id)
  return after.estado === 'pendiente' && before?.estado !== 'aceptado'
}

/**
 * Pairing moves activities to the couple's id, an update that is not an answer. One's own were in the list with
 * another couple's id; the partner's become visible by it, and were not in the list.
 */
function onlyMovedCouple(list: readonly Changed[] | undefined, after: Partial<Changed>): boolean {
  if (!list) return false
  const before = list.find(({ id }) => id === after.id)
  if (!before) return after.estado === 'pendiente'
  return (
    before.pareja_id !== after.pareja_id &&
    before.estado === after.estado &&
    before.aceptado_por === after.aceptado_por
  )
}
