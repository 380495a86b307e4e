/** Activities arranged for the screen: by day for the calendar, by month for the list. */
import { type Fecha, type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from './api.ts'
import { byHour, daysOf } from './span.ts'

const RANK = { pendiente: 0, aceptado: 1, rechazado: 2 } as const

/** Pending proposals first, so that neither the list nor the calendar's «+N» hides them. */
const pendingFirst = (a: Actividad, b: Actividad) => RANK[a.estado] - RANK[b.estado] || byHour(a, b)

export type MonthIndex = {
  byDay: ReadonlyMap<Fecha, Actividad[]>
  inMonth: (mes: Mes) => Actividad[]
}

const none: Actividad[] = []

/**
 * By date; within a day the pending ones come first, then by hour. What takes several days is on each of them, and
 * once in the list of every month that it touches.
 */
export function indexByMonth(list: readonly Actividad[]): MonthIndex {
  const byDay = new Map<Fecha, Actividad[]>()
  for (const actividad of list) {
    for (const fecha of daysOf(actividad)) {
      const day = byDay.get(fecha)
      if (day) day.push(actividad)
      else byDay.set(fecha, [actividad])
    }
  }
  const months = new Map<Mes, Set<Actividad>>()
  for (const fecha of [...byDay.keys()].sort()) {
    const day = byDay.get(fecha) ?? none
    day.sort(pendingFirst)
    const mes = monthOf(fecha)
    const month = months.get(mes) ?? new Set()
    for (const actividad of day) month.add(actividad)
    months.set(mes, month)
  }
  const lists = new Map([...months].map(([mes, month]) => [mes, [...month]]))
  return { byDay, inMonth: (mes) => lists.get(mes) ?? none }
}
