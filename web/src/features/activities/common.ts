/** Which plans are common: what a new partner shares, counts and answers; the rest is of a former couple. */
import type { Profile } from '#lib/database.ts'
import type { Actividad } from './api.ts'

export type Parts = { common: readonly Actividad[]; before: readonly Actividad[] }

/**
 * Common is what carries my couple's id, or my own while I have none. Of anything else the server returns my own
 * alone: it is «de antes», shown to me and counted nowhere, so that both partners see the same numbers.
 */
export function partsOf(list: readonly Actividad[], { id, pareja_id }: Profile): Parts {
  const ours = pareja_id ?? id
  const before = list.filter((one) => one.creador_id === id && one.pareja_id !== ours)
  if (before.length === 0) return { common: list, before }
  const apart = new Set(before)
  return { common: list.filter((one) => !apart.has(one)), before }
}
