import type { ActividadRow } from '#lib/database.ts'
import { dateOf, type Fecha, monthOf } from '#lib/dates.ts'
import { ANA, COUPLE } from './backend.ts'

/** A day of the month in which the tests run. */
export const dayOfThisMonth = (day: number): Fecha =>
  `${monthOf(dateOf(new Date()))}-${String(day).padStart(2, '0')}`

export function rowOf(given: Partial<ActividadRow> & { id: string }): ActividadRow {
  return {
    titulo: given.id,
    descripcion: null,
    fecha: dayOfThisMonth(10),
    presupuesto: null,
    estado: 'pendiente',
    creador_id: ANA,
    pareja_id: COUPLE,
    aceptado_por: null,
    ...given,
  }
}
