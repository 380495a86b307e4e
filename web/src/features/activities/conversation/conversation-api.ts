/** The server calls for comments on a plan. */
import type { Comentario, Conversaciones, Reaccion } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

export type { Comentario, Reaccion }

export const MAX_COMMENT = 1000

async function done(answer: PromiseLike<{ error: Error | null }>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

export type NewComment = { id: string; texto: string; motivo?: boolean }

export const comment = (plan: string, { id, texto, motivo = false }: NewComment) =>
  done(supabase.rpc('comentar', { plan, id, texto, motivo }))

export const deleteComment = (id: string) => done(supabase.rpc('borrar_comentario', { id }))

export const recoverComment = (id: string) => done(supabase.rpc('recuperar_comentario', { id }))

export const react = (plan: string, cual: Reaccion['cual']) =>
  done(supabase.rpc('reaccionar', { plan, cual }))

export const markRead = (plan: string) => done(supabase.rpc('marcar_leido', { plan }))

/** The number of comments on each plan, and of unread ones. */
export async function summarize(signal: AbortSignal): Promise<Conversaciones> {
  const { data, error } = await supabase.rpc('resumen_conversacion').abortSignal(signal)
  if (error) throw error
  return data
}

/** Oldest first. */
export async function listComments(plan: string, signal: AbortSignal): Promise<Comentario[]> {
  const { data, error } = await supabase
    .from('comentarios')
    .select('*')
    .eq('actividad_id', plan)
    .order('creado_en', { ascending: true })
    .order('id', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  return data
}

export async function listReactions(plan: string, signal: AbortSignal): Promise<Reaccion[]> {
  const { data, error } = await supabase
    .from('reacciones')
    .select('*')
    .eq('actividad_id', plan)
    .abortSignal(signal)
  if (error) throw error
  return data
}
