/** The proposals that wait for one person's answer, in whatever month they are. */
import type { Fecha } from '#lib/dates.ts'
import type { Actividad } from './api.ts'

/** Expects the list by date: soonest first, what has passed last. */
export function waitingFor(
  list: readonly Actividad[],
  userId: string,
  today: Fecha,
): readonly Actividad[] {
  const waiting = list.filter(
    ({ estado, creador_id }) => estado === 'pendiente' && creador_id !== userId,
  )
  const past = waiting.filter(({ fecha }) => fecha < today)
  return past.length === 0 ? waiting : [...waiting.slice(past.length), ...past]
}

const UPCOMING = 3

/** The next accepted plans, of any month. Expects the list by date. */
export function upcomingOf(list: readonly Actividad[], today: Fecha): readonly Actividad[] {
  return list
    .filter(({ estado, fecha }) => estado === 'aceptado' && fecha >= today)
    .slice(0, UPCOMING)
}
