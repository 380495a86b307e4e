/** The calls on plans that repeat, as one. Each date is a plan of its own, answered and deleted by itself too. */
import type { Regla } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'
import type { Actividad, Answer, Changes } from '../api.ts'

/** Of an edit: this one, what is pending from it on, or all that is pending. */
export type EditScope = 'esta' | 'siguientes' | 'todas'

/** Of a deletion: this one, it and what comes after it, or all that is pending. */
export type DeletionScope = 'esta' | 'siguientes' | 'pendientes'

/** The id is made here, so that a repeated request makes one series. */
export async function createSeries(id: string, plan: Changes, regla: Regla, hasta: string) {
  const { error } = await supabase.rpc('crear_serie', { id, plan, regla, hasta })
  if (error) throw error
}

/** Changes it where it is as it was read, and the others of its series with it. */
export async function editSeries(
  { id, revision = 1 }: Actividad,
  cambios: Changes,
  alcance: Exclude<EditScope, 'esta'>,
): Promise<void> {
  const args = { plan: id, revision, cambios, alcance }
  const { error } = await supabase.rpc('editar_serie', args)
  if (error) throw error
}

/** Accepts or rejects the revisions that were read; refused if one of them was edited meanwhile. */
export async function answerSeries(
  serie: string,
  read: readonly Actividad[],
  respuesta: Answer,
): Promise<void> {
  const vistas = Object.fromEntries(read.map(({ id, revision }) => [id, revision ?? 1]))
  const { error } = await supabase.rpc('responder_serie', { serie, respuesta, vistas })
  if (error) throw error
}

/** What was deleted. */
export async function deleteSeries(
  plan: string,
  alcance: Exclude<DeletionScope, 'esta'>,
): Promise<string[]> {
  const { data, error } = await supabase.rpc('borrar_serie', { plan, alcance })
  if (error) throw error
  return data.ids
}

export async function recoverPlans(ids: readonly string[]): Promise<void> {
  const { error } = await supabase.rpc('recuperar_planes', { ids: [...ids] })
  if (error) throw error
}
