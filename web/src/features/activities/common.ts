/** Which plans belong to the present couple (shared, counted and answered); the others are of a former one. */
import type { Profile } from '#lib/database.ts'
import type { Actividad } from './api.ts'

export type Parts = { common: readonly Actividad[]; before: readonly Actividad[] }

/**
 * Common plans have my couple's id, or mine while I have no partner. Of all others the server returns only my own: they
 * are «de antes», shown to me and counted nowhere, so that both partners see the same numbers.
 */
export function partsOf(list: readonly Actividad[], { id, pareja_id }: Profile): Parts {
  const ours = pareja_id ?? id
  const before = list.filter((one) => one.creador_id === id && one.pareja_id !== ours)
  if (before.length === 0) return { common: list, before }
  const apart = new Set(before)
  return { common: list.filter((one) => !apart.has(one)), before }
}
