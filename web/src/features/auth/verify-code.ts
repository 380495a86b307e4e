/** The code of a mail, in the place of its link. */
import { supabase } from '#lib/supabase.ts'

export type MailKind = 'recovery' | 'signup' | 'email_change'

/** What a mail's link does, by its code; true where a session came of it. */
export async function verifyCode(
  emails: readonly string[],
  token: string,
  type: MailKind,
): Promise<boolean> {
  let refusal: Error | null = null
  for (const email of emails) {
    const { data, error } = await supabase.auth.verifyOtp({ email, token, type })
    if (!error) return data.session !== null
    refusal = error
  }
  throw refusal ?? new Error('no mail was sent')
}
