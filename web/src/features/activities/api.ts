/** The four calls on the table of activities. Nothing else touches it. */
import type { Actividad, ActividadRow, Database, Estado } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'
import { byHour } from './span.ts'

export type { Actividad }

export type NewActividad = Database['public']['Tables']['actividades']['Insert']

export type Answer = Extract<Estado, 'aceptado' | 'rechazado'>

/** The server's row limit is unknown: a multiple of this many rows may be a full page, so there may be more. */
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
 * Sorts by date, hour and time of proposal. The server sorts by date alone, and accepting or rejecting may move a row
 * within its date; on the screen no other row may change its place because of that.
 */
const inOrder = (a: Actividad, b: Actividad) =>
  ascending(a.fecha, b.fecha) ||
  byHour(a, b) ||
  ascending(a.creado_en ?? '', b.creado_en ?? '') ||
  ascending(a.id, b.id)

const arranged = (rows: Iterable<ActividadRow>): Actividad[] =>
  Array.from(rows, toActividad).sort(inOrder)

/**
 * All visible rows, by date. After a page that may be full, the rest is read from its last date on in a total order:
 * the order by date alone could move rows between pages.
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

/** A change that a policy blocks or that comes too late matches no row; the server answers with none, not an error. */
function mustMatch(answer: { data: unknown[] | null; error: Error | null }): void {
  if (answer.error) throw answer.error
  if (!answer.data?.length) throw new NothingMatched()
}

/** Accepts or rejects the revision that was read: after an edit no row matches, so nobody accepts an unseen price. */
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

/** Changes one's own pending proposal, if its revision is still the one that was read. */
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
