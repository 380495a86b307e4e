/** The creation form's contents, and the row it makes. */

import type { Detail, Regla } from '#lib/database.ts'
import { budgetText } from '#lib/money.ts'
import type { Actividad, Changes, NewActividad } from '../api.ts'
import { clock } from '../span.ts'

export type Draft = {
  titulo: string
  descripcion: string
  fecha: string
  presupuesto: string
  /** How it repeats, or '' for once. */
  regla: Regla | ''
  /** The last date that it may repeat on. */
  limite: string
} & Record<Detail, string>
export type DraftName = keyof Draft

const noDetails = {
  hora: '',
  hora_fin: '',
  fecha_fin: '',
  lugar: '',
  regla: '',
  limite: '',
} as const

export const emptyDraft = (fecha: string): Draft => ({
  titulo: '',
  descripcion: '',
  fecha,
  presupuesto: '',
  ...noDetails,
})

/** «Volver a proponer»: the same plan without its date. */
export const draftLike = (actividad: Actividad): Draft => ({
  ...emptyDraft(''),
  titulo: actividad.titulo,
  descripcion: actividad.descripcion ?? '',
  presupuesto: budgetText(actividad.presupuesto),
  hora: actividad.hora ? clock(actividad.hora) : '',
  // Without a last day its hour has no meaning.
  hora_fin: actividad.hora_fin && !actividad.fecha_fin ? clock(actividad.hora_fin) : '',
  lugar: actividad.lugar ?? '',
})

/** «Editar»: the same plan whole. */
export const draftOf = (actividad: Actividad): Draft => ({
  ...draftLike(actividad),
  fecha: actividad.fecha,
  fecha_fin: actividad.fecha_fin ?? '',
  hora_fin: actividad.hora_fin ? clock(actividad.hora_fin) : '',
})

export type IdeaLike = {
  id: string
  titulo: string
  nota: string | null
  presupuesto: number | null
}

/** «Poner fecha»: an idea as a plan that lacks its date. */
export const draftOfIdea = ({ titulo, nota, presupuesto }: IdeaLike): Draft => ({
  ...emptyDraft(''),
  titulo,
  descripcion: nota ?? '',
  presupuesto: budgetText(presupuesto),
})

export const hasText = (draft: Draft): boolean =>
  Object.entries(draft).some(([name, text]) => name !== 'fecha' && text.trim() !== '')

type Author = { userId: string; parejaId: string | null }

export function toRow(changes: Changes, { userId, parejaId }: Author): NewActividad {
  return {
    ...changes,
    estado: 'pendiente',
    creador_id: userId,
    pareja_id: parejaId ?? userId,
  }
}
