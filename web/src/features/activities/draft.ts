/** The creation form's contents, and the row it makes. */
import { budgetText } from '#lib/money.ts'
import type { Actividad, Changes, NewActividad } from './api.ts'

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

export type Author = { userId: string; parejaId: string | null }

export function toRow(changes: Changes, { userId, parejaId }: Author): NewActividad {
  return {
    ...changes,
    estado: 'pendiente',
    creador_id: userId,
    pareja_id: parejaId ?? userId,
  }
}
