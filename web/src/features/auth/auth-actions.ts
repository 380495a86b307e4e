/** The calls of the auth service. Each throws the client's error, whose message is shown as it is. */

import { paths } from '#lib/paths.ts'
import type { supabase } from '#lib/supabase.ts'

type SignUpData = { nombre: string; email: string; password: string }
type SignInData = { email: string; password: string }

export type AuthActions = {
  /** Whether the address is confirmed already; else a mail asks for it. */
  signUp: (data: SignUpData) => Promise<boolean>
  signIn: (data: SignInData) => Promise<void>
  /** Signs out on this device alone if the server no longer knows the session. */
  signOut: (scope?: 'local') => Promise<void>
  /** Whether there still is a session: clearing the site's data removes it without an event. */
  hasSession: () => Promise<boolean>
  sendRecovery: (email: string) => Promise<void>
  changePassword: (password: string) => Promise<void>
}

type Client = typeof supabase
type Answer = { error: Error | null }

async function settled(answer: Promise<Answer>): Promise<void> {
  const { error } = await answer
  if (error) throw error
}

type Flag = { current: boolean }

/** The flags are true while an action of this tab ends the session itself. */
export function createAuthActions(
  client: Client,
  { signingUp, signingOut }: Record<'signingUp' | 'signingOut', Flag>,
): AuthActions {
  const origin = window.location.origin

  async function signUp({ nombre, email, password }: SignUpData): Promise<boolean> {
    signingUp.current = true
    try {
      const { data, error } = await client.auth.signUp({
        email,
        password,
        options: { data: { nombre }, emailRedirectTo: `${origin}${paths.landing}` },
      })
      if (error) throw error
      if (data.session) await client.auth.signOut({ scope: 'local' })
      return data.session !== null
    } finally {
      signingUp.current = false
    }
  }

  async function signOut(scope?: 'local'): Promise<void> {
    signingOut.current = true
    try {
      const { error } = await client.auth.signOut({ scope: scope ?? 'global' })
      // Without a network the server is not reached; this device must forget the session all the same.
      if (error) await client.auth.signOut({ scope: 'local' })
    } finally {
      signingOut.current = false
    }
  }

  return {
    signUp,
    signOut,
    hasSession: async () => (await client.auth.getSession()).data.session !== null,
    signIn: (data) => settled(client.auth.signInWithPassword(data)),
    sendRecovery: (email) =>
      settled(client.auth.resetPasswordForEmail(email, { redirectTo: `${origin}${paths.auth}` })),
    changePassword: (password) => settled(client.auth.updateUser({ password })),
  }
}
