/** What the form accepts, and what it sends. */
import type { FieldErrors } from '#hooks/use-field-errors.ts'
import { daysBetween, isFecha } from '#lib/dates.ts'
import { rules } from '#lib/messages.ts'
import { budgetProblems, series, moreDetails as text } from '#lib/messages-later.ts'
import { parseBudget } from '#lib/money.ts'
import { plainLine, plainText } from '#lib/plain-text.ts'
import type { Changes } from '../api.ts'
import { datesOf, latestEnd, MAX_DATES } from '../series/series.ts'
import type { Draft, DraftName } from './draft.ts'

export type { Draft, DraftName }

export const MAX_TITLE = 120
export const MAX_DESCRIPTION = 2000
export const MAX_PLACE = 120
/** The most days between the first and the last. */
export const MAX_DAYS = 60

export function findDraftErrors(draft: Draft): FieldErrors<DraftName> {
  const errors: FieldErrors<DraftName> = {}
  if (plainLine(draft.titulo) === '') errors.titulo = rules.titleRequired
  if (!isFecha(draft.fecha)) errors.fecha = rules.dateRequired
  const budget = parseBudget(draft.presupuesto)
  if (!budget.ok) errors.presupuesto = budgetProblems[budget.reason]
  const details = findDetailErrors(draft)
  return { ...errors, ...details, ...findSeriesErrors(draft) }
}

function findSeriesErrors({ fecha, regla, limite }: Draft): FieldErrors<DraftName> {
  if (!regla || !isFecha(fecha)) return {}
  if (!isFecha(limite)) return { limite: series.untilWhen }
  if (limite > latestEnd(fecha)) return { limite: series.tooLong }
  const { length } = datesOf(fecha, regla, limite)
  if (length < 2) return { limite: series.never }
  return length > MAX_DATES ? { limite: series.tooMany } : {}
}

function findDetailErrors({ fecha, hora, hora_fin, fecha_fin }: Draft): FieldErrors<DraftName> {
  const errors: FieldErrors<DraftName> = {}
  if (hora_fin && !hora) errors.hora = text.needsHour
  else if (hora_fin && !fecha_fin && hora_fin <= hora) errors.hora_fin = text.endBeforeStart
  if (!fecha_fin || !isFecha(fecha)) return errors
  if (!isFecha(fecha_fin) || fecha_fin <= fecha) errors.fecha_fin = text.lastBeforeFirst
  else if (daysBetween(fecha, fecha_fin) > MAX_DAYS) errors.fecha_fin = text.tooLong
  return errors
}

const DETAILS = ['hora', 'hora_fin', 'fecha_fin', 'lugar'] as const

/** Expects a draft without errors. `whole` includes empty fields (as null), for a plan that may have had them. */
export function toChanges(draft: Draft, whole = false): Changes {
  const details = DETAILS.map((name) => [name, plainLine(draft[name]) || null] as const)
  const budget = parseBudget(draft.presupuesto)
  return {
    titulo: plainLine(draft.titulo),
    descripcion: plainText(draft.descripcion) || null,
    fecha: draft.fecha,
    presupuesto: budget.ok ? budget.value : null,
    ...Object.fromEntries(details.filter(([, value]) => whole || value !== null)),
  }
}
