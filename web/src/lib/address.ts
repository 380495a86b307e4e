/** What of the dashboard stands in its address: a link, a reload and «back» find it again. */

import type { Estado } from './database.ts'
import { firstOf, isFecha, type Mes } from './dates.ts'

export type Vista = 'mes' | 'agenda' | 'ideas'
export type De = 'mi' | 'pareja' | 'antes'

export type Address = {
  vista: Vista
  /** null is the month that runs. */
  mes: Mes | null
  /** What is searched for. */
  q: string
  estado: Estado | null
  de: De | null
  /** The plan whose sheet is open. */
  plan: string | null
}

export const HOME: Address = { vista: 'mes', mes: null, q: '', estado: null, de: null, plan: null }

const MAX_SEARCH = 100
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ESTADOS: readonly Estado[] = ['pendiente', 'aceptado', 'rechazado']
const VISTAS: readonly Vista[] = ['mes', 'agenda', 'ideas']
const WHOSE: readonly De[] = ['mi', 'pareja', 'antes']

const isMes = (text: string): text is Mes => isFecha(firstOf(text))
const among = <T extends string>(values: readonly T[], text: string | null): T | null =>
  values.find((value) => value === text) ?? null

/** What an address says; a wrong value says nothing. */
export function readAddress(search: string): Address {
  const params = new URLSearchParams(search)
  const mes = params.get('mes')
  const plan = params.get('plan')
  return {
    vista: among(VISTAS, params.get('vista')) ?? 'mes',
    mes: mes !== null && isMes(mes) ? mes : null,
    q: (params.get('q') ?? '').slice(0, MAX_SEARCH),
    estado: among(ESTADOS, params.get('estado')),
    de: among(WHOSE, params.get('de')),
    plan: plan !== null && UUID.test(plan) ? plan : null,
  }
}

/** The search part of an address, '' or from its '?' on; what is as at home is left out. */
export function writeAddress(address: Address): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(address))
    if (value && value !== HOME[name as keyof Address]) params.set(name, value)
  const text = String(params)
  return text && `?${text}`
}
