/** A plan's past in words. */
import { isFecha, shortDate } from '#lib/dates.ts'
import { history as text } from '#lib/messages-later.ts'
import { formatEuros } from '#lib/money.ts'
import type { Person } from '#lib/people.ts'
import { clock } from '../span.ts'
import type { HistorialRow } from './trash-api.ts'

/** A value for display: an amount with its currency, a date in words, '' for none. */
function worded(field: string, value: unknown): string {
  if (value === null || value === undefined) return text.nothing
  if (field === 'presupuesto') return formatEuros(Number(value))
  if (typeof value === 'string' && field.startsWith('fecha') && isFecha(value))
    return shortDate(value)
  return field.startsWith('hora') ? clock(String(value)) : `«${value}»`
}

/** One sentence for most; an edit has one for each field. A long description is not repeated. */
export function sentencesOf(
  { que, persona_id, cambios }: HistorialRow,
  userId: string,
  people: readonly Person[],
): string[] {
  if (que === 'pendiente') return [text.waitsAgain]
  const mine = persona_id === userId
  const name = people.find(({ id }) => id === persona_id)?.nombre ?? text.somebody
  const [mineWord, theirWord] = text.what[que]
  const did = mine ? `${text.you} ${mineWord}` : `${name} ${theirWord}`
  if (que !== 'editado') return [did]
  return Object.entries(cambios ?? {}).map(([field, [before, after]]) => {
    const what = `${did} ${text.field[field as keyof typeof text.field] ?? field}`
    if (field === 'descripcion') return what
    return `${what}: ${worded(field, before)} → ${worded(field, after)}`
  })
}
