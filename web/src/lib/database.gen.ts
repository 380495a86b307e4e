/** The schema as a signed-in client sees it. Written by `make snapshot` from the migrations: do not edit. */

export type Tables = {
  actividades: {
    Row: {
      id: string
      titulo: string
      descripcion: string | null
      fecha: string
      presupuesto: number | string | null
      estado: string
      creador_id: string
      pareja_id: string
      aceptado_por: string | null
      creado_en: string
      revision: number
      editado_en: string | null
      origen_id: string | null
      hora: string | null
      hora_fin: string | null
      fecha_fin: string | null
      lugar: string | null
      idea_id: string | null
    }
    Insert: {
      titulo: string
      descripcion?: string | null
      fecha: string
      presupuesto?: number | string | null
      estado?: string
      creador_id: string
      pareja_id: string
      aceptado_por?: string | null
      hora?: string | null
      hora_fin?: string | null
      fecha_fin?: string | null
      lugar?: string | null
      idea_id?: string | null
    }
    Update: {
      estado?: string
      aceptado_por?: string | null
    }
    Relationships: []
  }
  apetencias: {
    Row: {
      idea_id: string
      persona_id: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  comentarios: {
    Row: {
      id: string
      actividad_id: string
      autor_id: string
      texto: string
      motivo: boolean
      creado_en: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  fechas_especiales: {
    Row: {
      id: string
      pareja_id: string
      titulo: string
      fecha: string
      cada_ano: boolean
    }
    Insert: never
    Update: never
    Relationships: []
  }
  historial: {
    Row: {
      id: number
      actividad_id: string
      persona_id: string | null
      que: string
      cambios: unknown | null
      en: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  ideas: {
    Row: {
      id: string
      pareja_id: string
      creador_id: string
      titulo: string
      nota: string | null
      presupuesto: number | string | null
      actividad_id: string | null
      creado_en: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  lecturas: {
    Row: {
      actividad_id: string
      persona_id: string
      visto_en: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  liquidaciones: {
    Row: {
      id: string
      pareja_id: string
      mes: string
      de: string
      a: string
      importe: number | string
      creado_en: string
      anulada_en: string | null
    }
    Insert: never
    Update: never
    Relationships: []
  }
  pagos: {
    Row: {
      id: string
      actividad_id: string
      pagado_por: string
      importe: number | string
      parte: number
      anotado_por: string | null
      creado_en: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
  profiles: {
    Row: {
      id: string
      nombre: string
      pareja_id: string | null
    }
    Insert: never
    Update: {
      nombre?: string
    }
    Relationships: []
  }
  reacciones: {
    Row: {
      actividad_id: string
      persona_id: string
      cual: string
    }
    Insert: never
    Update: never
    Relationships: []
  }
}

export type Functions = {
  aceptar_invitacion: { Args: { codigo: string }; Returns: unknown }
  anotar_pago: { Args: { id: string; plan: string; importe: number | string; pagado_por: string; parte?: number }; Returns: undefined }
  anular_saldo: { Args: { id: string }; Returns: undefined }
  borrar_comentario: { Args: { id: string }; Returns: undefined }
  borrar_fecha_especial: { Args: { id: string }; Returns: undefined }
  borrar_idea: { Args: { id: string }; Returns: undefined }
  borrar_pago: { Args: { id: string }; Returns: undefined }
  calendario: { Args: { secreto: string }; Returns: string }
  comentar: { Args: { plan: string; id: string; texto: string; motivo?: boolean }; Returns: undefined }
  crear_calendario: { Args: Record<never, never>; Returns: unknown }
  crear_invitacion: { Args: Record<never, never>; Returns: unknown }
  cuentas: { Args: { mes: string }; Returns: unknown }
  desvincular_pareja: { Args: Record<never, never>; Returns: undefined }
  editar_plan: { Args: { plan: string; revision: number; cambios: unknown }; Returns: unknown }
  eliminar_cuenta: { Args: Record<never, never>; Returns: undefined }
  exportar_datos: { Args: Record<never, never>; Returns: unknown }
  guardar_fecha_especial: { Args: { id: string; titulo: string; fecha: string; cada_ano?: boolean }; Returns: undefined }
  guardar_idea: { Args: { id: string; titulo: string; nota?: string; presupuesto?: number | string }; Returns: undefined }
  marcar_leido: { Args: { plan: string }; Returns: undefined }
  me_apetece: { Args: { idea: string; si: boolean }; Returns: undefined }
  mis_borrados: { Args: Record<never, never>; Returns: unknown }
  proponer_otra_fecha: { Args: { plan: string; fecha: string; hora?: string; mensaje?: string }; Returns: unknown }
  reaccionar: { Args: { plan: string; cual: string }; Returns: undefined }
  recuperar_plan: { Args: { plan: string }; Returns: unknown }
  resumen_conversacion: { Args: Record<never, never>; Returns: unknown }
  revocar_calendario: { Args: Record<never, never>; Returns: undefined }
  saldar: { Args: { id: string; mes: string; importe: number }; Returns: undefined }
  vaciar_papelera: { Args: Record<never, never>; Returns: undefined }
  ver_invitacion: { Args: { codigo: string }; Returns: unknown }
  version_del_plan: { Args: Record<never, never>; Returns: number }
}
