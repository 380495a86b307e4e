/** Which proposals took another's place with another date, in words for both of them. */
import { shortDate } from '#lib/dates.ts'
import { otherDate as text } from '#lib/messages.ts'
import type { Actividad } from './api.ts'
import { clock } from './span.ts'

export type Notes = ReadonlyMap<string, string>

/** By plan. One in the middle of a chain says what it stands for; that it was answered with another shows below. */
export function notesOf(list: readonly Actividad[]): Notes {
  const notes = new Map<string, string>()
  const moved = list.filter(({ origen_id }) => origen_id)
  if (moved.length === 0) return notes
  const byId = new Map(list.map((actividad) => [actividad.id, actividad]))
  for (const plan of moved) {
    const origin = byId.get(plan.origen_id ?? '')
    if (!origin) continue
    const { became, instead } =
      plan.fecha === origin.fecha ? hours(plan, origin) : dates(plan, origin)
    notes.set(origin.id, became)
    if (!notes.has(plan.id)) notes.set(plan.id, instead)
  }
  return notes
}

const dates = (plan: Actividad, origin: Actividad) => ({
  became: text.became(shortDate(plan.fecha)),
  instead: text.instead(shortDate(origin.fecha)),
})

/** Of the same day. */
const hours = (plan: Actividad, origin: Actividad) => ({
  became: text.becameHour(hourOf(plan)),
  instead: text.insteadHour(hourOf(origin)),
})

const hourOf = ({ hora }: Actividad): string | null => (hora ? clock(hora) : null)
