/** What the form accepts, and what it sends. */
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import { isFecha } from '#lib/dates.ts'
import { budgetProblems, rules } from '#lib/messages.ts'
import { parseBudget } from '#lib/money.ts'
import type { Changes } from './api.ts'
import type { Draft, DraftName } from './draft.ts'

export type { Draft, DraftName }

export const MAX_TITLE = 120
export const MAX_DESCRIPTION = 2000

export function findDraftErrors(draft: Draft): FieldErrors<DraftName> {
  const errors: FieldErrors<DraftName> = {}
  if (draft.titulo.trim() === '') errors.titulo = rules.titleRequired
  if (!isFecha(draft.fecha)) errors.fecha = rules.dateRequired
  const budget = parseBudget(draft.presupuesto)
  if (!budget.ok) errors.presupuesto = budgetProblems[budget.reason]
  return errors
}

/** Expects a draft without errors. */
export function toChanges(draft: Draft): Changes {
  const budget = parseBudget(draft.presupuesto)
  return {
    titulo: draft.titulo.trim(),
    descripcion: draft.descripcion.trim() || null,
    fecha: draft.fecha,
    presupuesto: budget.ok ? budget.value : null,
  }
}
