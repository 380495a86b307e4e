/** The creation form's contents, its rules, and the row it makes. */
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import { isFecha } from '#lib/dates.ts'
import { budgetProblems, rules } from '#lib/messages.ts'
import { budgetText, parseBudget } from '#lib/money.ts'
import type { Actividad, Changes, NewActividad } from './api.ts'

export const MAX_TITLE = 120
export const MAX_DESCRIPTION = 2000

export type Draft = { titulo: string; descripcion: string; fecha: string; presupuesto: string }
export type DraftName = keyof Draft

export const emptyDraft = (fecha: string): Draft => ({
  titulo: '',
  descripcion: '',
  fecha,
  presupuesto: '',
})

/** «Volver a proponer»: the same plan without its date. */
export const draftLike = (actividad: Actividad): Draft => ({
  titulo: actividad.titulo,
  descripcion: actividad.descripcion ?? '',
  fecha: '',
  presupuesto: budgetText(actividad.presupuesto),
})

export const hasText = (draft: Draft): boolean =>
  Boolean(draft.titulo.trim() || draft.descripcion.trim() || draft.presupuesto.trim())

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

export type Author = { userId: string; parejaId: string | null }

/** Expects a draft without errors. */
export function toRow(draft: Draft, { userId, parejaId }: Author): NewActividad {
  return {
    ...toChanges(draft),
    estado: 'pendiente',
    creador_id: userId,
    pareja_id: parejaId ?? userId,
  }
}
