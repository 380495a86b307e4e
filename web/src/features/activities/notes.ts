/** Which proposals took another's place with another date, in words for both of them. */
import { shortDate } from '#lib/dates.ts'
import { otherDate } from '#lib/messages.ts'
import type { Actividad } from './api.ts'

export type Notes = ReadonlyMap<string, string>

/** By plan. One in the middle of a chain says what it stands for; that it was answered with another shows below. */
export function notesOf(list: readonly Actividad[]): Notes {
  const notes = new Map<string, string>()
  const moved = list.filter(({ origen_id }) => origen_id)
  if (moved.length === 0) return notes
  const byId = new Map(list.map((actividad) => [actividad.id, actividad]))
  for (const { id, origen_id, fecha } of moved) {
    const origin = byId.get(origen_id ?? '')
    if (!origin) continue
    notes.set(origin.id, otherDate.became(shortDate(fecha)))
    if (!notes.has(id)) notes.set(id, otherDate.instead(shortDate(origin.fecha)))
  }
  return notes
}
