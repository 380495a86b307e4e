/** The calls on a couple's special days. */
import { supabase } from '#lib/supabase.ts'
import type { SpecialDay } from './special-days.ts'

export const MAX_TITLE = 60

export const specialKey = (userId: string) => ['especiales', userId] as const

export async function listSpecialDays(signal: AbortSignal): Promise<SpecialDay[]> {
  const { data, error } = await supabase
    .from('fechas_especiales')
    .select('id,titulo,fecha,cada_ano')
    .order('fecha', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  return data
}

export async function saveSpecialDay(day: SpecialDay): Promise<void> {
  const { error } = await supabase.rpc('guardar_fecha_especial', day)
  if (error) throw error
}

export async function deleteSpecialDay(id: string): Promise<void> {
  const { error } = await supabase.rpc('borrar_fecha_especial', { id })
  if (error) throw error
}
