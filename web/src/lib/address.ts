/** The dashboard's state that is in its URL, so that a link, a reload and «back» restore it. */

import type { Estado } from './database.ts'
import { type Fecha, firstOf, isFecha, type Mes, monthOf, weekOf } from './dates.ts'

export type Vista = 'mes' | 'semana' | 'agenda' | 'ideas'
export type De = 'mi' | 'pareja' | 'antes'

export type Address = {
  vista: Vista
  /** null is the current month. */
  mes: Mes | null
  /** A day of the open week; null is the current week. */
  dia: Fecha | null
  /** The search query. */
  q: string
  estado: Estado | null
  de: De | null
  /** The plan whose sheet is open. */
  plan: string | null
}

export const HOME: Address = {
  vista: 'mes',
  mes: null,
  dia: null,
  q: '',
  estado: null,
  de: null,
  plan: null,
}

const MAX_SEARCH = 100
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ESTADOS: readonly Estado[] = ['pendiente', 'aceptado', 'rechazado']
const VISTAS: readonly Vista[] = ['mes', 'semana', 'agenda', 'ideas']
const WHOSE: readonly De[] = ['mi', 'pareja', 'antes']

const isMes = (text: string): text is Mes => isFecha(firstOf(text))
const among = <T extends string>(values: readonly T[], text: string | null): T | null =>
  values.find((value) => value === text) ?? null

/** Parses the query string; invalid values are ignored. */
export function readAddress(search: string): Address {
  const params = new URLSearchParams(search)
  const mes = params.get('mes')
  const dia = params.get('dia')
  const plan = params.get('plan')
  return {
    vista: among(VISTAS, params.get('vista')) ?? 'mes',
    mes: mes !== null && isMes(mes) ? mes : null,
    dia: dia !== null && isFecha(dia) ? dia : null,
    q: (params.get('q') ?? '').slice(0, MAX_SEARCH),
    estado: among(ESTADOS, params.get('estado')),
    de: among(WHOSE, params.get('de')),
    plan: plan !== null && UUID.test(plan) ? plan : null,
  }
}

/** Another view of the same time: the week begins where the open month does, the month is that of the open week. */
export function inView(vista: Vista, { mes, dia }: Address, today: Fecha): Partial<Address> {
  const shown = dia ?? (mes ? firstOf(mes) : today)
  if (vista === 'semana') return { vista, mes: null, ...inWeek(shown, today) }
  return { vista, dia: null, mes: monthOf(shown) === monthOf(today) ? null : monthOf(shown) }
}

/** The week of a day; null for the current one. */
export const inWeek = (day: Fecha, today: Fecha): Pick<Address, 'dia'> => ({
  dia: weekOf(day)[0] === weekOf(today)[0] ? null : day,
})

/** Serialises to a query string, '' or from its '?' on; default values are left out. */
export function writeAddress(address: Address): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(address))
    if (value && value !== HOME[name as keyof Address]) params.set(name, value)
  const text = String(params)
  return text && `?${text}`
}
