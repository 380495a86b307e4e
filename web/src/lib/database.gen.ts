
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "public": {
          Tables: {
            "actividades": {
                  Row: {
                    "aceptado_por": string | null,"creado_en": string,"creador_id": string,"descripcion": string | null,"editado_en": string | null,"estado": string,"fecha": string,"fecha_fin": string | null,"hora": string | null,"hora_fin": string | null,"id": string,"idea_id": string | null,"lugar": string | null,"origen_id": string | null,"pareja_id": string,"presupuesto": number | null,"regla": string | null,"revision": number,"serie_id": string | null,"titulo": string
                  }
                  ComputedFields: never
                  Insert: {
                    "aceptado_por"?: string | null,"creado_en"?: string,"creador_id": string,"descripcion"?: string | null,"editado_en"?: string | null,"estado"?: string,"fecha": string,"fecha_fin"?: string | null,"hora"?: string | null,"hora_fin"?: string | null,"id"?: string,"idea_id"?: string | null,"lugar"?: string | null,"origen_id"?: string | null,"pareja_id": string,"presupuesto"?: number | null,"regla"?: string | null,"revision"?: number,"serie_id"?: string | null,"titulo": string
                  }
                  Update: {
                    "aceptado_por"?: string | null,"creado_en"?: string,"creador_id"?: string,"descripcion"?: string | null,"editado_en"?: string | null,"estado"?: string,"fecha"?: string,"fecha_fin"?: string | null,"hora"?: string | null,"hora_fin"?: string | null,"id"?: string,"idea_id"?: string | null,"lugar"?: string | null,"origen_id"?: string | null,"pareja_id"?: string,"presupuesto"?: number | null,"regla"?: string | null,"revision"?: number,"serie_id"?: string | null,"titulo"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "actividades_origen_id_fkey"
      columns: ["origen_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"apetencias": {
                  Row: {
                    "creador_id": string,"idea_id": string,"persona_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "creador_id": string,"idea_id": string,"persona_id": string
                  }
                  Update: {
                    "creador_id"?: string,"idea_id"?: string,"persona_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "apetencias_idea_id_fkey"
      columns: ["creador_id","idea_id"]
isOneToOne: false
      referencedRelation: "ideas"
      referencedColumns: ["creador_id","id"]
    }
                  ]
                },"calendarios": {
                  Row: {
                    "creado_en": string,"huella": string,"pareja_id": string,"secreto": string
                  }
                  ComputedFields: never
                  Insert: {
                    "creado_en"?: string,"huella"?: never,"pareja_id": string,"secreto": string
                  }
                  Update: {
                    "creado_en"?: string,"huella"?: never,"pareja_id"?: string,"secreto"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "calendarios_pareja_id_fkey"
      columns: ["pareja_id"]
isOneToOne: true
      referencedRelation: "parejas"
      referencedColumns: ["id"]
    }
                  ]
                },"comentarios": {
                  Row: {
                    "actividad_id": string,"autor_id": string,"creado_en": string,"id": string,"motivo": boolean,"texto": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"autor_id": string,"creado_en"?: string,"id": string,"motivo"?: boolean,"texto": string
                  }
                  Update: {
                    "actividad_id"?: string,"autor_id"?: string,"creado_en"?: string,"id"?: string,"motivo"?: boolean,"texto"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "comentarios_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"fechas_especiales": {
                  Row: {
                    "cada_ano": boolean,"fecha": string,"id": string,"pareja_id": string,"titulo": string
                  }
                  ComputedFields: never
                  Insert: {
                    "cada_ano"?: boolean,"fecha": string,"id": string,"pareja_id": string,"titulo": string
                  }
                  Update: {
                    "cada_ano"?: boolean,"fecha"?: string,"id"?: string,"pareja_id"?: string,"titulo"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "fechas_especiales_pareja_id_fkey"
      columns: ["pareja_id"]
isOneToOne: false
      referencedRelation: "parejas"
      referencedColumns: ["id"]
    }
                  ]
                },"historial": {
                  Row: {
                    "actividad_id": string,"cambios": Json | null,"en": string,"id": number,"persona_id": string | null,"que": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"cambios"?: Json | null,"en"?: string,"id"?: never,"persona_id"?: string | null,"que": string
                  }
                  Update: {
                    "actividad_id"?: string,"cambios"?: Json | null,"en"?: string,"id"?: never,"persona_id"?: string | null,"que"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "historial_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"ideas": {
                  Row: {
                    "actividad_id": string | null,"creado_en": string,"creador_id": string,"id": string,"nota": string | null,"pareja_id": string,"presupuesto": number | null,"titulo": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id"?: string | null,"creado_en"?: string,"creador_id": string,"id": string,"nota"?: string | null,"pareja_id": string,"presupuesto"?: number | null,"titulo": string
                  }
                  Update: {
                    "actividad_id"?: string | null,"creado_en"?: string,"creador_id"?: string,"id"?: string,"nota"?: string | null,"pareja_id"?: string,"presupuesto"?: number | null,"titulo"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "ideas_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"invitaciones": {
                  Row: {
                    "caduca_en": string,"codigo": string,"creador_id": string,"usada_por": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "caduca_en"?: string,"codigo": string,"creador_id": string,"usada_por"?: string | null
                  }
                  Update: {
                    "caduca_en"?: string,"codigo"?: string,"creador_id"?: string,"usada_por"?: string | null
                  }
                  Relationships: [
                    
                  ]
                },"lecturas": {
                  Row: {
                    "actividad_id": string,"persona_id": string,"visto_en": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"persona_id": string,"visto_en"?: string
                  }
                  Update: {
                    "actividad_id"?: string,"persona_id"?: string,"visto_en"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "lecturas_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"liquidaciones": {
                  Row: {
                    "a": string,"anulada_en": string | null,"creado_en": string,"de": string,"id": string,"importe": number,"mes": string,"pareja_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "a": string,"anulada_en"?: string | null,"creado_en"?: string,"de": string,"id": string,"importe": number,"mes": string,"pareja_id": string
                  }
                  Update: {
                    "a"?: string,"anulada_en"?: string | null,"creado_en"?: string,"de"?: string,"id"?: string,"importe"?: number,"mes"?: string,"pareja_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "liquidaciones_pareja_id_fkey"
      columns: ["pareja_id"]
isOneToOne: false
      referencedRelation: "parejas"
      referencedColumns: ["id"]
    }
                  ]
                },"pagos": {
                  Row: {
                    "actividad_id": string,"anotado_por": string | null,"creado_en": string,"id": string,"importe": number,"pagado_por": string,"parte": number
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"anotado_por"?: string | null,"creado_en"?: string,"id": string,"importe": number,"pagado_por": string,"parte"?: number
                  }
                  Update: {
                    "actividad_id"?: string,"anotado_por"?: string | null,"creado_en"?: string,"id"?: string,"importe"?: number,"pagado_por"?: string,"parte"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "pagos_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"parejas": {
                  Row: {
                    "creada_en": string,"id": string,"persona_a": string,"persona_b": string,"personas": number,"terminada_en": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "creada_en"?: string,"id"?: string,"persona_a": string,"persona_b": string,"personas"?: number,"terminada_en"?: string | null
                  }
                  Update: {
                    "creada_en"?: string,"id"?: string,"persona_a"?: string,"persona_b"?: string,"personas"?: number,"terminada_en"?: string | null
                  }
                  Relationships: [
                    
                  ]
                },"profiles": {
                  Row: {
                    "id": string,"nombre": string,"pareja_id": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "id": string,"nombre": string,"pareja_id"?: string | null
                  }
                  Update: {
                    "id"?: string,"nombre"?: string,"pareja_id"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "profiles_pareja_id_fkey"
      columns: ["pareja_id"]
isOneToOne: false
      referencedRelation: "parejas"
      referencedColumns: ["id"]
    }
                  ]
                },"reacciones": {
                  Row: {
                    "actividad_id": string,"cual": string,"persona_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"cual": string,"persona_id": string
                  }
                  Update: {
                    "actividad_id"?: string,"cual"?: string,"persona_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "reacciones_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                },"recuerdos": {
                  Row: {
                    "actividad_id": string,"alto": number,"ancho": number,"autor_id": string,"bytes": number,"creado_en": string,"id": string,"miniatura": string,"pareja_id": string,"ruta": string,"subido_en": string | null,"texto": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "actividad_id": string,"alto": number,"ancho": number,"autor_id": string,"bytes": number,"creado_en"?: string,"id": string,"miniatura"?: never,"pareja_id": string,"ruta"?: never,"subido_en"?: string | null,"texto"?: string | null
                  }
                  Update: {
                    "actividad_id"?: string,"alto"?: number,"ancho"?: number,"autor_id"?: string,"bytes"?: number,"creado_en"?: string,"id"?: string,"miniatura"?: never,"pareja_id"?: string,"ruta"?: never,"subido_en"?: string | null,"texto"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "recuerdos_actividad_id_fkey"
      columns: ["actividad_id"]
isOneToOne: false
      referencedRelation: "actividades"
      referencedColumns: ["id"]
    }
                  ]
                }
          }
          Views: {
            [_ in never]: never
          }
          Functions: {
            "aceptar_invitacion":
{ Args: { "codigo": string }; Returns: Json
                           },
"ajustar_dispositivo":
{ Args: { "cambios": Json,"id": string }; Returns: undefined
                           },
"ajustar_recordatorios":
{ Args: { "cambios": Json }; Returns: undefined
                           },
"anotar_pago":
{ Args: { "id": string,"importe": number,"pagado_por": string,"parte"?: number,"plan": string }; Returns: undefined
                           },
"anular_saldo":
{ Args: { "id": string }; Returns: undefined
                           },
"baja_correo":
{ Args: { "ficha": string }; Returns: undefined
                           },
"borrar_comentario":
{ Args: { "id": string }; Returns: undefined
                           },
"borrar_fecha_especial":
{ Args: { "id": string }; Returns: undefined
                           },
"borrar_idea":
{ Args: { "id": string }; Returns: undefined
                           },
"borrar_pago":
{ Args: { "id": string }; Returns: undefined
                           },
"borrar_recuerdo":
{ Args: { "id": string }; Returns: undefined
                           },
"borrar_serie":
{ Args: { "alcance": string,"plan": string }; Returns: Json
                           },
"calendario":
{ Args: { "secreto": string }; Returns: unknown
                           },
"comentar":
{ Args: { "id": string,"motivo"?: boolean,"plan": string,"texto": string }; Returns: undefined
                           },
"crear_calendario":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"crear_invitacion":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"crear_serie":
{ Args: { "hasta": string,"id": string,"plan": Json,"regla": string }; Returns: Json
                           },
"cuentas":
{ Args: { "mes": string }; Returns: Json
                           },
"describir_recuerdo":
{ Args: { "id": string,"texto": string }; Returns: undefined
                           },
"desvincular_pareja":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"editar_plan":
{ Args: { "cambios": Json,"plan": string,"revision": number }; Returns: Json
                           },
"editar_serie":
{ Args: { "alcance": string,"cambios": Json,"plan": string,"revision": number }; Returns: Json
                           },
"eliminar_cuenta":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"exportar_datos":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"guardar_fecha_especial":
{ Args: { "cada_ano"?: boolean,"fecha": string,"id": string,"titulo": string }; Returns: undefined
                           },
"guardar_idea":
{ Args: { "id": string,"nota"?: string,"presupuesto"?: number,"titulo": string }; Returns: undefined
                           },
"marcar_leido":
{ Args: { "plan": string }; Returns: undefined
                           },
"me_apetece":
{ Args: { "idea": string,"si": boolean }; Returns: undefined
                           },
"mis_borrados":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"mis_dispositivos":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"mis_recordatorios":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"preparar_recuerdo":
{ Args: { "alto": number,"ancho": number,"bytes": number,"id": string,"plan": string,"texto"?: string }; Returns: Json
                           },
"probar_dispositivo":
{ Args: { "id": string }; Returns: undefined
                           },
"proponer_otra_fecha":
{ Args: { "fecha": string,"hora"?: string,"mensaje"?: string,"plan": string }; Returns: Json
                           },
"quitar_dispositivo":
{ Args: { "id": string }; Returns: undefined
                           },
"reaccionar":
{ Args: { "cual": string,"plan": string }; Returns: undefined
                           },
"recuperar_comentario":
{ Args: { "id": string }; Returns: undefined
                           },
"recuperar_plan":
{ Args: { "plan": string }; Returns: Json
                           },
"recuperar_planes":
{ Args: { "ids": (string)[] }; Returns: Json
                           },
"recuperar_recuerdo":
{ Args: { "id": string }; Returns: undefined
                           },
"registrar_dispositivo":
{ Args: { "auth": string,"endpoint": string,"nombre": string,"p256dh": string,"zona"?: string }; Returns: Json
                           },
"responder_serie":
{ Args: { "respuesta": string,"serie": string,"vistas": Json }; Returns: Json
                           },
"resumen_conversacion":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"revocar_calendario":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"saldar":
{ Args: { "id": string,"importe": number,"mes": string }; Returns: undefined
                           },
"terminar_recuerdo":
{ Args: { "id": string }; Returns: undefined
                           },
"vaciar_papelera":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"ver_invitacion":
{ Args: { "codigo": string }; Returns: Json
                           },
"version_del_plan":
{ Args: Record<PropertyKey, never>; Returns: number
                           }
          }
          Enums: {
            [_ in never]: never
          }
          CompositeTypes: {
            [_ in never]: never
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "public": {
          Enums: {
            
          }
        }
} as const
