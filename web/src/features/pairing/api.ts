/** The four functions of pairing. Their refusals carry a sentence for the user in `message`. */
import { supabase } from '#lib/supabase.ts'

export type Invitation = { codigo: string; caduca_en: string }

export async function createInvitation(): Promise<Invitation> {
  const { data, error } = await supabase.rpc('crear_invitacion')
  if (error) throw error
  return data
}

/** Who invites, and how many plans the two share from an earlier time as a couple. */
export type Inviter = { nombre: string; vuelven: number }

export async function whoInvites(codigo: string): Promise<Inviter> {
  const { data, error } = await supabase.rpc('ver_invitacion', { codigo })
  if (error) throw error
  return { nombre: data.nombre, vuelven: data.vuelven ?? 0 }
}

export async function acceptInvitation(codigo: string): Promise<void> {
  const { error } = await supabase.rpc('aceptar_invitacion', { codigo })
  if (error) throw error
}

export async function unlinkPartner(): Promise<void> {
  const { error } = await supabase.rpc('desvincular_pareja')
  if (error) throw error
}
