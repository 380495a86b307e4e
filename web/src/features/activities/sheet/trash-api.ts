/** The calls for deleted plans and for a plan's history. */
import type { Deleted, HistorialRow } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

export type { Deleted, HistorialRow }

export async function recoverPlan(plan: string): Promise<void> {
  const { error } = await supabase.rpc('recuperar_plan', { plan })
  if (error) throw error
}

export async function listDeleted(signal: AbortSignal): Promise<Deleted[]> {
  const { data, error } = await supabase.rpc('mis_borrados').abortSignal(signal)
  if (error) throw error
  return data
}

export async function emptyTrash(): Promise<void> {
  const { error } = await supabase.rpc('vaciar_papelera')
  if (error) throw error
}

/** The plan's history, oldest first. */
export async function listHistory(plan: string, signal: AbortSignal): Promise<HistorialRow[]> {
  const { data, error } = await supabase
    .from('historial')
    .select('*')
    .eq('actividad_id', plan)
    .order('id', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  return data
}
