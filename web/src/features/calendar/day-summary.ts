/** What one day shows and says: at most three marks, the remainder, and the cell's spoken name. */
import type { Estado } from '#lib/database.ts'
import { daysBetween, type Fecha, longDate } from '#lib/dates.ts'
import { activities, calendar, specialDays, whenAndWhere } from '#lib/messages.ts'

export const MAX_MARKS = 3

const ORDER: readonly Estado[] = ['pendiente', 'aceptado', 'rechazado']

export type DaySummary = { marks: Estado[]; more: number; name: string }

/** What the calendar shows of a plan. */
export type Planned = {
  id: string
  estado: Estado
  titulo: string
  creador_id: string
  fecha: Fecha
  fecha_fin?: Fecha | null
  hora?: string | null
}

function counted(estados: readonly Estado[]): string {
  const parts = ORDER.flatMap((estado) => {
    const count = estados.filter((each) => each === estado).length
    const [one, several] = activities.counted[estado]
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]
  })
  return `${activities.total(estados.length)}: ${parts.join(', ')}`
}

/** For a plan of several days: which of them this is. */
const severalDays = (fecha: Fecha, day: readonly Planned[]): string[] =>
  day.flatMap(({ titulo, fecha: first, fecha_fin }) =>
    fecha_fin
      ? whenAndWhere.day(titulo, daysBetween(first, fecha) + 1, daysBetween(first, fecha_fin) + 1)
      : [],
  )

/** Expects the day's activities with the pending ones first, so that «+N» hides none of them. */
export function summarizeDay(
  fecha: Fecha,
  day: readonly Planned[],
  today: Fecha,
  special?: readonly string[],
): DaySummary {
  const estados = day.map(({ estado }) => estado)
  const parts = [longDate(fecha)]
  if (fecha === today) parts.push(calendar.todayWord)
  if (special) parts.push(specialDays.spoken(special))
  if (estados.length > 0) parts.push(counted(estados), ...severalDays(fecha, day))
  return {
    marks: estados.slice(0, MAX_MARKS),
    more: Math.max(0, estados.length - MAX_MARKS),
    name: parts.join(', '),
  }
}
