/** The proposals that wait for one person's answer, in whatever month they are. */
import type { Fecha } from '#lib/dates.ts'
import type { Actividad } from '../api.ts'
import { lastDayOf } from '../span.ts'

/** Expects the list by date. Soonest first, past ones last; of a series only the first. */
export function waitingFor(
  list: readonly Actividad[],
  userId: string,
  today: Fecha,
): readonly Actividad[] {
  const waiting = list.filter(
    ({ estado, creador_id }) => estado === 'pendiente' && creador_id !== userId,
  )
  const isPast = (one: Actividad) => lastDayOf(one) < today
  return oncePerSeries([...waiting.filter((one) => !isPast(one)), ...waiting.filter(isPast)])
}

function oncePerSeries(list: readonly Actividad[]): readonly Actividad[] {
  const seen = new Set<string>()
  return list.filter(({ id, serie_id }) => {
    const one = serie_id ?? id
    return !seen.has(one) && seen.add(one)
  })
}

const UPCOMING = 3

/** The next accepted plans, of any month. Expects the list by date. */
export function upcomingOf(list: readonly Actividad[], today: Fecha): readonly Actividad[] {
  return list
    .filter((one) => one.estado === 'aceptado' && lastDayOf(one) >= today)
    .slice(0, UPCOMING)
}
