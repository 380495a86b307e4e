/** The proposals that wait for one person's answer, in whatever month they are. */
import { type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from './api.ts'

export type WaitingMonth = { mes: Mes; count: number; firstId: string }

/** Expects the list by date; the months come in that order. */
export function waitingMonths(list: readonly Actividad[], userId: string): WaitingMonth[] {
  const months = new Map<Mes, WaitingMonth>()
  for (const { id, fecha, estado, creador_id } of list) {
    if (estado !== 'pendiente' || creador_id === userId) continue
    const mes = monthOf(fecha)
    const known = months.get(mes)
    if (known) known.count += 1
    else months.set(mes, { mes, count: 1, firstId: id })
  }
  return [...months.values()]
}

export const waitingCount = (months: readonly WaitingMonth[]): number =>
  months.reduce((sum, { count }) => sum + count, 0)
