/** The part of the server's schema that the web app touches, as supabase-js wants it described. */

export type Estado = 'pendiente' | 'aceptado' | 'rechazado'

export type ActividadRow = {
  id: string
  titulo: string
  descripcion: string | null
  fecha: string
  /** A numeric column: some servers answer a JSON number, others a string. */
  presupuesto: number | string | null
  estado: Estado
  creador_id: string
  pareja_id: string
  aceptado_por: string | null
  /** When it was proposed, in UTC; a server of the specification's fields alone has none. */
  creado_en?: string
}

export type Profile = {
  id: string
  nombre: string
  pareja_id: string | null
}

type ActividadInsert = Pick<
  ActividadRow,
  'titulo' | 'descripcion' | 'fecha' | 'presupuesto' | 'estado' | 'creador_id' | 'pareja_id'
>

type Nothing = Record<never, never>

export type Database = {
  public: {
    Tables: {
      actividades: {
        Row: ActividadRow
        Insert: ActividadInsert
        Update: Pick<ActividadRow, 'estado' | 'aceptado_por'>
        Relationships: []
      }
      profiles: {
        Row: Profile
        Insert: never
        Update: Pick<Profile, 'nombre'>
        Relationships: []
      }
    }
    Views: Nothing
    Functions: {
      crear_invitacion: { Args: Nothing; Returns: { codigo: string; caduca_en: string } }
      ver_invitacion: { Args: { codigo: string }; Returns: { nombre: string; vuelven?: number } }
      aceptar_invitacion: {
        Args: { codigo: string }
        Returns: { pareja_id: string; vuelven?: number }
      }
      crear_calendario: { Args: Nothing; Returns: { secreto: string } }
      revocar_calendario: { Args: Nothing; Returns: unknown }
      desvincular_pareja: { Args: Nothing; Returns: unknown }
    }
  }
}
