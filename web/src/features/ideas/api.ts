/** The calls on ideas without a date. */
import type { IdeaRow } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

/** An amount is a number of euros, whatever the server wrote it as. */
export type Idea = Omit<IdeaRow, 'presupuesto'> & {
  presupuesto: number | null
  /** Who would like to do it. */
  apetece: readonly string[]
}

export type IdeaDraft = Pick<Idea, 'id' | 'titulo' | 'nota' | 'presupuesto'>

export const MAX_TITLE = 120
export const MAX_NOTE = 500

export const ideasKey = (userId: string) => ['ideas', userId] as const

/** Newest first. */
export async function listIdeas(signal: AbortSignal): Promise<Idea[]> {
  const { data, error } = await supabase
    .from('ideas')
    .select('*, apetencias(persona_id)')
    .order('creado_en', { ascending: false })
    .order('id', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  const rows = data as unknown as (IdeaRow & { apetencias: { persona_id: string }[] })[]
  return rows.map(({ apetencias, presupuesto, ...row }) => ({
    ...row,
    presupuesto: presupuesto === null ? null : Number(presupuesto),
    apetece: apetencias.map(({ persona_id }) => persona_id),
  }))
}

async function done(answer: PromiseLike<{ error: Error | null }>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

/** Leaves out null arguments, which are optional. */
export const saveIdea = ({ id, titulo, nota, presupuesto }: IdeaDraft) =>
  done(
    supabase.rpc('guardar_idea', {
      id,
      titulo,
      ...(nota === null ? {} : { nota }),
      ...(presupuesto === null ? {} : { presupuesto }),
    }),
  )

export const deleteIdea = (id: string) => done(supabase.rpc('borrar_idea', { id }))

export const like = (idea: string, si: boolean) => done(supabase.rpc('me_apetece', { idea, si }))
