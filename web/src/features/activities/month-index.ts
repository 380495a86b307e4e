/** Activities arranged for the screen: by day for the calendar, by month for the list. */
import { type Fecha, type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from './api.ts'

const RANK = { pendiente: 0, aceptado: 1, rechazado: 2 } as const

/** Waiting proposals first: neither the list's top nor the calendar's «+N» may hide them. */
const pendingFirst = (a: Actividad, b: Actividad) => RANK[a.estado] - RANK[b.estado]

export type MonthIndex = {
  byDay: ReadonlyMap<Fecha, Actividad[]>
  inMonth: (mes: Mes) => Actividad[]
}

const none: Actividad[] = []

/** Expects the server's order, by date, and keeps it; within a day the pending ones come first. */
export function indexByMonth(list: readonly Actividad[]): MonthIndex {
  const byDay = new Map<Fecha, Actividad[]>()
  for (const actividad of list) {
    const day = byDay.get(actividad.fecha)
    if (day) day.push(actividad)
    else byDay.set(actividad.fecha, [actividad])
  }
  const months = new Map<Mes, Actividad[]>()
  for (const [fecha, day] of byDay) {
    day.sort(pendingFirst)
    const mes = monthOf(fecha)
    const month = months.get(mes)
    if (month) month.push(...day)
    else months.set(mes, [...day])
  }
  return { byDay, inMonth: (mes) => months.get(mes) ?? none }
}
