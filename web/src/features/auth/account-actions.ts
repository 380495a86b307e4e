/** Changes of one's own account. Each throws the client's error. */
import { paths } from '#lib/paths.ts'
import { supabase } from '#lib/supabase.ts'

export async function currentEmail(): Promise<string> {
  const { data } = await supabase.auth.getSession()
  return data.session?.user.email ?? ''
}

/** The password is wrong. */
export class WrongPassword extends Error {}

/** Signs in again: an open session alone must not allow what follows. */
async function prove(password: string): Promise<void> {
  const { error } = await supabase.auth.signInWithPassword({
    email: await currentEmail(),
    password,
  })
  if (error?.code === 'invalid_credentials') throw new WrongPassword()
  if (error) throw error
}

export async function changeEmail(email: string): Promise<void> {
  const { error } = await supabase.auth.updateUser(
    { email },
    { emailRedirectTo: `${window.location.origin}${paths.landing}` },
  )
  if (error) throw error
}

/** The server ends every other session. */
export async function changePassword(current_password: string, password: string): Promise<void> {
  await prove(current_password)
  const { error } = await supabase.auth.updateUser({ password, current_password })
  if (error) throw error
}

export async function deleteAccount(password: string): Promise<void> {
  await prove(password)
  const { error } = await supabase.rpc('eliminar_cuenta')
  if (error) throw error
}
