/** The schema as supabase-js wants it described: what the migrations make, said more closely where SQL cannot. */
import type { Database as Generated } from './database.gen.ts'

type Tables = Generated['public']['Tables']
type Functions = Generated['public']['Functions']

export type Estado = 'pendiente' | 'aceptado' | 'rechazado'

/** A service may write a numeric as a JSON number or, to lose no digit, as a string. */
type Amount = number | string | null

type Made = Omit<Tables['actividades']['Row'], 'presupuesto'> & { presupuesto: Amount }

/** Columns that a server with the specification's schema alone does not have. */
type Later =
  | 'creado_en'
  | 'revision'
  | 'editado_en'
  | 'origen_id'
  | 'idea_id'
  | 'serie_id'
  | 'regla'
  | Detail

/** Optional columns of a plan. */
export type Detail = 'hora' | 'hora_fin' | 'fecha_fin' | 'lugar'

/** How a plan repeats. */
export type Regla = 'semanal' | 'quincenal' | 'mensual' | 'anual'

export type ActividadRow = Omit<Made, 'estado' | Later> & { estado: Estado } & Partial<
    Omit<Pick<Made, Later>, 'regla'> & { regla: Regla | null }
  >

/** A row whose amount is a number of euros, whatever the server wrote it as. */
export type Actividad = Omit<ActividadRow, 'presupuesto'> & { presupuesto: number | null }

export type Profile = Tables['profiles']['Row']

/** The specification's insert: seven keys, and a further one only where its field was filled in. */
type ActividadInsert = Pick<
  ActividadRow,
  'titulo' | 'descripcion' | 'fecha' | 'presupuesto' | 'estado' | 'creador_id' | 'pareja_id'
> &
  Partial<Pick<Made, Detail | 'idea_id'>>

/** A function of the schema whose answer is JSON of this shape. */
type Answers<Name extends keyof Functions, Returns> = {
  Args: Functions[Name]['Args']
  Returns: Returns
}

export type HistorialRow = Omit<Tables['historial']['Row'], 'que' | 'cambios'> & {
  que: 'propuesto' | 'editado' | 'aceptado' | 'rechazado' | 'pendiente' | 'recuperado'
  /** Of an edit: the values before and after. */
  cambios: Partial<Record<Changed, readonly [unknown, unknown]>> | null
}

type Changed = 'titulo' | 'descripcion' | 'fecha' | 'presupuesto' | Detail

/** A plan that its creator deleted in the last thirty days. */
export type Deleted = { id: string; titulo: string; fecha: string; borrado_en: string }

export type IdeaRow = Omit<Tables['ideas']['Row'], 'presupuesto'> & { presupuesto: Amount }

/** A device with a push subscription of this user. */
export type Dispositivo = {
  id: string
  nombre: string
  eventos: string[]
  ver_titulo: boolean
  silencio_desde: string | null
  silencio_hasta: string | null
  visto_en: string
}

/** When this person is reminded of accepted plans. */
export type Recordatorios = {
  dia_antes: boolean
  dia_antes_a: string
  hora_antes: boolean
  correo?: boolean
}

export type Comentario = Tables['comentarios']['Row']

export type Reaccion = Omit<Tables['reacciones']['Row'], 'cual'> & {
  cual: 'me_encanta' | 'que_ganas' | 'que_risa' | 'de_acuerdo' | 'no_lo_se' | 'que_pena'
}

/** By plan; a plan about which nothing is said is not in it. */
export type Conversaciones = Readonly<
  Record<
    string,
    { total: number; sin_leer: number; motivo: { autor_id: string; texto: string } | null }
  >
>

/** What a month really cost and who owes whom, in whole cents. */
export type Cuentas = {
  gastado: number
  de: string | null
  a: string | null
  importe: number
  saldado: { id: string; de: string; a: string; importe: number; creado_en: string } | null
}

type Invitation = { codigo: string; caduca_en: string }

export type Database = {
  public: {
    Tables: {
      actividades: {
        Row: ActividadRow
        Insert: ActividadInsert
        Update: Pick<ActividadRow, 'estado' | 'aceptado_por'>
        Relationships: []
      }
      historial: Omit<Tables['historial'], 'Row'> & { Row: HistorialRow }
      comentarios: Tables['comentarios']
      reacciones: Omit<Tables['reacciones'], 'Row'> & { Row: Reaccion }
      fechas_especiales: Tables['fechas_especiales']
      ideas: Tables['ideas']
      apetencias: Tables['apetencias']
      pagos: Tables['pagos']
      liquidaciones: Tables['liquidaciones']
      recuerdos: Tables['recuerdos']
      profiles: Tables['profiles']
    }
    Views: Record<never, never>
    Functions: Functions & {
      crear_invitacion: Answers<'crear_invitacion', Invitation>
      ver_invitacion: Answers<'ver_invitacion', { nombre: string; vuelven?: number }>
      aceptar_invitacion: Answers<'aceptar_invitacion', { pareja_id: string; vuelven?: number }>
      editar_plan: Answers<'editar_plan', { revision: number }>
      mis_borrados: Answers<'mis_borrados', Deleted[]>
      resumen_conversacion: Answers<'resumen_conversacion', Conversaciones>
      recuperar_plan: Answers<'recuperar_plan', { id: string }>
      proponer_otra_fecha: Answers<'proponer_otra_fecha', { id: string }>
      cuentas: Answers<'cuentas', Cuentas>
      crear_serie: Answers<'crear_serie', { fechas: number }>
      editar_serie: Answers<'editar_serie', { cambiadas: number }>
      borrar_serie: Answers<'borrar_serie', { ids: string[] }>
      responder_serie: Answers<'responder_serie', { respondidas: number }>
      preparar_recuerdo: Answers<
        'preparar_recuerdo',
        { ruta: string; miniatura: string; subido: boolean }
      >
      registrar_dispositivo: Answers<'registrar_dispositivo', { id: string }>
      mis_recordatorios: Answers<'mis_recordatorios', Recordatorios>
      mis_dispositivos: Answers<'mis_dispositivos', Dispositivo[]>
      crear_calendario: Answers<'crear_calendario', { secreto: string }>
    }
  }
}
