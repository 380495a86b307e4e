/** The calls on payments, and on a month's balance between the two. */

import type { Tables } from '#lib/database.gen.ts'
import type { Cuentas } from '#lib/database.ts'
import type { Mes } from '#lib/dates.ts'
import { supabase } from '#lib/supabase.ts'

type Row = Tables<'pagos'>

/** Its amount in whole cents. */
export type Payment = Pick<Row, 'id' | 'pagado_por' | 'parte'> & { cents: number }

/** The payer's own share by default, in percent. */
export const HALF = 50

/** One query key: an event on payments or settlements reloads all of it. */
export const costsKey = (userId: string) => ['gastos', userId] as const

async function done(answer: PromiseLike<{ error: Error | null }>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

/** Oldest first. */
export async function listPayments(plan: string, signal: AbortSignal): Promise<Payment[]> {
  const { data, error } = await supabase
    .from('pagos')
    .select('id,pagado_por,parte,importe')
    .eq('actividad_id', plan)
    .order('creado_en', { ascending: true })
    .order('id', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  return data.map(({ importe, ...row }) => ({ ...row, cents: Math.round(Number(importe) * 100) }))
}

/** An existing id changes that payment. */
export const savePayment = (plan: string, { id, cents, pagado_por, parte }: Payment) =>
  done(supabase.rpc('anotar_pago', { id, plan, importe: cents / 100, pagado_por, parte }))

export const deletePayment = (id: string) => done(supabase.rpc('borrar_pago', { id }))

export async function accountsOf(mes: Mes, signal: AbortSignal): Promise<Cuentas> {
  const { data, error } = await supabase.rpc('cuentas', { mes }).abortSignal(signal)
  if (error) throw error
  return data
}

/** Refused where the balance is no longer the cents that were shown. */
export const settle = (mes: Mes, { id, cents }: { id: string; cents: number }) =>
  done(supabase.rpc('saldar', { id, mes, importe: cents }))

export const annul = (id: string) => done(supabase.rpc('anular_saldo', { id }))
