/** The proposals that wait for one person's answer, in whatever month they are. */
import type { Fecha } from '#lib/dates.ts'
import type { Actividad } from './api.ts'
import { lastDayOf } from './span.ts'

/** Expects the list by date: soonest first, what has passed last. */
export function waitingFor(
  list: readonly Actividad[],
  userId: string,
  today: Fecha,
): readonly Actividad[] {
  const waiting = list.filter(
    ({ estado, creador_id }) => estado === 'pendiente' && creador_id !== userId,
  )
  const past = waiting.filter((one) => lastDayOf(one) < today)
  return past.length === 0 ? waiting : [...waiting.filter((one) => !past.includes(one)), ...past]
}

const UPCOMING = 3

/** The next accepted plans, of any month. Expects the list by date. */
export function upcomingOf(list: readonly Actividad[], today: Fecha): readonly Actividad[] {
  return list
    .filter((one) => one.estado === 'aceptado' && lastDayOf(one) >= today)
    .slice(0, UPCOMING)
}
