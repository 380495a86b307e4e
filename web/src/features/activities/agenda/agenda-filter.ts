/** Which plans the agenda shows. */
import type { Address } from '#lib/address.ts'
import { folded, matcher } from '#lib/search.ts'
import type { Actividad } from '../api.ts'
import type { Parts } from '../common.ts'

type Filter = Pick<Address, 'q' | 'estado' | 'de'>

export const isFiltered = ({ q, estado, de }: Filter): boolean =>
  q.trim() !== '' || estado !== null || de !== null

/** Each row's search text is normalised once, not with every letter. */
const texts = new WeakMap<Actividad, string>()

function textOf(actividad: Actividad): string {
  const kept = texts.get(actividad)
  if (kept !== undefined) return kept
  const text = folded(
    [actividad.titulo, actividad.descripcion, actividad.lugar].filter(Boolean).join('\n'),
  )
  texts.set(actividad, text)
  return text
}

/** In the list's own order. Plans of former couples show only if the filter asks for them. */
export function foundIn(
  { common, before }: Parts,
  { q, estado, de }: Filter,
  userId: string,
): readonly Actividad[] {
  const matches = matcher(q)
  const list = de === 'antes' ? before : common
  return list.filter(
    (one) =>
      (estado === null || one.estado === estado) &&
      (de !== 'mi' || one.creador_id === userId) &&
      (de !== 'pareja' || one.creador_id !== userId) &&
      (q.trim() === '' || matches(textOf(one))),
  )
}
