/** Reads profiles: one's own and the partner's. Nothing else touches that table. */
import type { Profile } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

export type { Profile }

export async function loadProfile(userId: string, signal: AbortSignal): Promise<Profile> {
  const { data, error } = await supabase
    .from('profiles')
    .select('*')
    .eq('id', userId)
    .abortSignal(signal)
    .single()
  if (error) throw error
  return data
}

/** The other person of the couple; null while there is none. */
export async function loadPartner(own: Profile, signal: AbortSignal): Promise<Profile | null> {
  if (!own.pareja_id) return null
  const { data, error } = await supabase
    .from('profiles')
    .select('*')
    .eq('pareja_id', own.pareja_id)
    .neq('id', own.id)
    .limit(1)
    .abortSignal(signal)
  if (error) throw error
  return data[0] ?? null
}
