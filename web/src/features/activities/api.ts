/** The four calls on the table of activities. Nothing else touches it. */
import type { Actividad, ActividadRow, Database, Estado } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'
import { byHour } from './span.ts'

export type { Actividad }

export type NewActividad = Database['public']['Tables']['actividades']['Insert']

export type Answer = Extract<Estado, 'aceptado' | 'rechazado'>

/** A round number of rows may be all that the server answers at once, whatever its limit: there may be more. */
const ROUND = 50
const mayGoOn = (rows: readonly unknown[]): boolean => rows.length > 0 && rows.length % ROUND === 0

/** At most so many are asked for at once; the server may have a lower limit. */
const PAGE = 1000

const toActividad = (row: ActividadRow): Actividad => ({
  ...row,
  presupuesto: row.presupuesto === null ? null : Number(row.presupuesto),
})

const ascending = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * By date and hour, then as they were proposed. The server is asked for the order by date alone, and an answer
 * may move a row among those of its date; on the screen nothing else may change its place for that.
 */
const inOrder = (a: Actividad, b: Actividad) =>
  ascending(a.fecha, b.fecha) ||
  byHour(a, b) ||
  ascending(a.creado_en ?? '', b.creado_en ?? '') ||
  ascending(a.id, b.id)

const arranged = (rows: Iterable<ActividadRow>): Actividad[] =>
  Array.from(rows, toActividad).sort(inOrder)

/**
 * Every row the server lets us see, by date. After a page that may be full the rest is read from its last date on,
 * in a total order, because the order by date alone may shuffle rows between pages.
 */
export async function listActividades(signal: AbortSignal): Promise<Actividad[]> {
  const { data, error } = await supabase
    .from('actividades')
    .select('*')
    .order('fecha', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  const last = data.at(-1)
  if (!last || !mayGoOn(data)) return arranged(data)
  const seen = new Map(data.map((row) => [row.id, row]))
  for await (const row of rowsFrom(last.fecha, signal)) seen.set(row.id, row)
  return arranged(seen.values())
}

async function* rowsFrom(fecha: string, signal: AbortSignal): AsyncGenerator<ActividadRow> {
  for (let start = 0; ; ) {
    const { data, error } = await supabase
      .from('actividades')
      .select('*')
      .gte('fecha', fecha)
      .order('fecha', { ascending: true })
      .order('id', { ascending: true })
      .range(start, start + PAGE - 1)
      .abortSignal(signal)
    if (error) throw error
    yield* data
    if (!mayGoOn(data)) return
    start += data.length
  }
}

/** One, or several that are made together or not at all. */
export async function createActividad(rows: NewActividad | NewActividad[]): Promise<void> {
  const { error } = await supabase.from('actividades').insert(rows as NewActividad[])
  if (error) throw error
}

class NothingMatched extends Error {
  override message = 'the server changed no row: it is gone, answered already, or not ours'
}

/** A blocked or late change matches no row and is no error to the server: the empty answer is the failure. */
function mustMatch(answer: { data: unknown[] | null; error: Error | null }): void {
  if (answer.error) throw answer.error
  if (!answer.data?.length) throw new NothingMatched()
}

/** Answers what was read: an edit meanwhile matches no row, so that nobody accepts a price that they have not seen. */
export async function answerActividad(
  { id, revision }: Actividad,
  estado: Answer,
  userId: string,
): Promise<void> {
  const aceptado_por = estado === 'aceptado' ? userId : null
  const change = supabase.from('actividades').update({ estado, aceptado_por }).eq('id', id)
  mustMatch(await (revision === undefined ? change : change.eq('revision', revision)).select('id'))
}

export type Changes = Omit<NewActividad, 'estado' | 'creador_id' | 'pareja_id'>

/** Changes a pending proposal of one's own, where it is as it was read. */
export async function editActividad({ id, revision = 1 }: Actividad, cambios: Changes) {
  const { error } = await supabase.rpc('editar_plan', { plan: id, revision, cambios })
  if (error) throw error
}

export type OtherDate = { fecha: string; hora?: string; mensaje?: string }

/** Rejects the partner's proposal and proposes the same for another date or hour, in one. */
export async function proposeOtherDate({ id }: Actividad, other: OtherDate): Promise<void> {
  const { error } = await supabase.rpc('proponer_otra_fecha', { plan: id, ...other })
  if (error) throw error
}

export async function deleteActividad(id: string): Promise<void> {
  mustMatch(await supabase.from('actividades').delete().eq('id', id).select('id'))
}
