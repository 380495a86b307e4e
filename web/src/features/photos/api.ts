/** The calls on photos: rows of the database, and two files each in the storage service. */

import type { Tables } from '#lib/database.gen.ts'
import { configuration, supabase } from '#lib/supabase.ts'

type Row = Tables<'recuerdos'>

/** A complete photo with the URLs of its files, valid for an hour; null for a file without one. */
export type Photo = Pick<Row, 'id' | 'autor_id' | 'ancho' | 'alto' | 'texto'> & {
  whole: string | null
  small: string | null
}

/** A photo that is ready for upload. Its id makes a repeated upload the same photo. */
export type Shot = {
  id: string
  plan: string
  ancho: number
  alto: number
  whole: Blob
  small: Blob
}

/** A permanent refusal: sending again would not help. */
export class Refused extends Error {}

const BUCKET = 'recuerdos'
const STORAGE = `${configuration.url}/storage/v1`
const ADDRESS_SECONDS = 3600
/** The timeout of one file's upload. */
const SEND_LIMIT_MS = 120_000

async function done(answer: PromiseLike<{ error: Error | null }>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

const credentials = async (): Promise<Record<string, string>> => {
  const { data } = await supabase.auth.getSession()
  const token = data.session?.access_token ?? configuration.key
  return { apikey: configuration.key, authorization: `Bearer ${token}` }
}

/** A plan's photos, oldest first; one request signs all their URLs. */
export async function listPhotos(plan: string, signal: AbortSignal): Promise<Photo[]> {
  const { data, error } = await supabase
    .from('recuerdos')
    .select('id,autor_id,ancho,alto,texto,ruta,miniatura')
    .eq('actividad_id', plan)
    .not('subido_en', 'is', null)
    .order('creado_en', { ascending: true })
    .order('id', { ascending: true })
    .abortSignal(signal)
  if (error) throw error
  return withAddresses(data, signal)
}

type Stored = Omit<Photo, 'whole' | 'small'> & { ruta: string; miniatura: string }

async function withAddresses(list: readonly Stored[], signal: AbortSignal): Promise<Photo[]> {
  const names = list.flatMap(({ ruta, miniatura }) => [ruta, miniatura])
  const address = names.length > 0 ? await sign(names, signal) : new Map<string, string>()
  return list.map(({ ruta, miniatura, ...photo }) => ({
    ...photo,
    whole: address.get(ruta) ?? null,
    small: address.get(miniatura) ?? null,
  }))
}

/** A photo's URL and its plan; no plan if that is no longer shared. */
export type Kept = {
  address: string
  creado_en: string
  fecha: string | null
  titulo: string | null
}

const PAGE = 200

/** Every photo that this person may see, page by page. */
export async function allPhotos(): Promise<Kept[]> {
  const found: Kept[] = []
  for (let from = 0; ; from += PAGE) {
    const { data, error } = await supabase
      .from('recuerdos')
      .select('ruta,creado_en,actividad_id')
      .not('subido_en', 'is', null)
      .order('creado_en', { ascending: true })
      .order('id', { ascending: true })
      .range(from, from + PAGE - 1)
    if (error) throw error
    if (data.length === 0) return found
    const plans = await plansOf(data.map(({ actividad_id }) => actividad_id))
    const address = await sign(data.map(({ ruta }) => ruta))
    for (const { ruta, creado_en, actividad_id } of data) {
      const plan = plans.get(actividad_id)
      const at = address.get(ruta)
      if (at)
        found.push({
          address: at,
          creado_en,
          fecha: plan?.fecha ?? null,
          titulo: plan?.titulo ?? null,
        })
    }
    if (data.length < PAGE) return found
  }
}

/** One's own photos of plans that are no longer visible, among the newest PAGE photos, newest first. */
export async function photosLeft(userId: string, signal: AbortSignal): Promise<Photo[]> {
  const { data, error } = await supabase
    .from('recuerdos')
    .select('id,autor_id,ancho,alto,texto,ruta,miniatura,actividad_id')
    .eq('autor_id', userId)
    .not('subido_en', 'is', null)
    .order('creado_en', { ascending: false })
    .order('id', { ascending: true })
    .limit(PAGE)
    .abortSignal(signal)
  if (error) throw error
  const plans = await plansOf(data.map(({ actividad_id }) => actividad_id))
  const left = data.filter(({ actividad_id }) => !plans.has(actividad_id))
  return withAddresses(
    left.map(({ actividad_id: _, ...photo }) => photo),
    signal,
  )
}

async function plansOf(ids: readonly string[]) {
  const { data, error } = await supabase
    .from('actividades')
    .select('id,fecha,titulo')
    .in('id', [...new Set(ids)])
  if (error) throw error
  return new Map(data.map((plan) => [plan.id, plan]))
}

type Signed = { path: string; signedURL: string | null }

async function sign(
  paths: string[],
  signal: AbortSignal | null = null,
): Promise<Map<string, string>> {
  const answer = await fetch(`${STORAGE}/object/sign/${BUCKET}`, {
    method: 'POST',
    headers: { ...(await credentials()), 'content-type': 'application/json' },
    body: JSON.stringify({ expiresIn: ADDRESS_SECONDS, paths }),
    signal,
  })
  if (!answer.ok) throw new Error(`signing: ${answer.status}`)
  const signed: Signed[] = await answer.json()
  return new Map(
    signed.flatMap(({ path, signedURL }) => (signedURL ? [[path, STORAGE + signedURL]] : [])),
  )
}

/** Uploads a photo; parts that exist already are no error. `onProgress` gets a fraction, 0 to 1. */
export async function send(shot: Shot, onProgress: (part: number) => void): Promise<void> {
  const { id, plan, ancho, alto, whole, small } = shot
  const bytes = whole.size + small.size
  const announced = await supabase.rpc('preparar_recuerdo', { id, plan, ancho, alto, bytes })
  if (announced.error) throw refusalOr(announced.error)
  const { ruta, miniatura, subido } = announced.data
  if (subido) return
  await put(miniatura, small, (sent) => onProgress(sent / bytes))
  await put(ruta, whole, (sent) => onProgress((small.size + sent) / bytes))
  const { error } = await supabase.rpc('terminar_recuerdo', { id })
  if (error) throw refusalOr(error)
}

/** An error of the database that it words itself (P0001) is permanent; any other may pass. */
const refusalOr = (error: { code: string; message: string }): Error =>
  error.code === 'P0001' ? new Refused(error.message) : new Error(error.message)

/** By XMLHttpRequest, because fetch reports no upload progress. */
async function put(name: string, file: Blob, onSent: (bytes: number) => void): Promise<void> {
  const headers = { ...(await credentials()), 'content-type': file.type }
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${STORAGE}/object/${BUCKET}/${name}`)
    for (const [key, value] of Object.entries(headers)) request.setRequestHeader(key, value)
    request.timeout = SEND_LIMIT_MS
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () => {
      const there = request.status === 200 || isThere(request.responseText)
      if (there) resolve()
      else reject(new Error(`upload: ${request.status}`))
    }
    request.onerror = () => reject(new TypeError('upload: no network'))
    request.ontimeout = () => reject(new TypeError('upload: too long'))
    request.send(file)
  })
}

/** The file exists already: an earlier upload succeeded and its response was lost. */
function isThere(body: string): boolean {
  try {
    return JSON.parse(body).statusCode === '409'
  } catch {
    return false
  }
}

export const describe = (id: string, texto: string) =>
  done(supabase.rpc('describir_recuerdo', { id, texto }))

export const deletePhoto = (id: string) => done(supabase.rpc('borrar_recuerdo', { id }))

export const recoverPhoto = (id: string) => done(supabase.rpc('recuperar_recuerdo', { id }))
