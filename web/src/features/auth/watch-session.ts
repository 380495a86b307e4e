/** Detects that the session was ended elsewhere: until its token expires, this device would not notice. */
import { supabase } from '#lib/supabase.ts'

/** The least time between two checks (ms); they happen on a press or a return to the tab. */
const ASK_EVERY_MS = 60_000

/** Fetches the user. If the server no longer knows the session, the client removes it and emits a sign-out. */
export async function askForSession(): Promise<void> {
  const { error } = await supabase.auth.getUser()
  if (error?.code === 'user_not_found') await supabase.auth.signOut({ scope: 'local' })
}

/** Asks when the tab comes back into view, and on a press a minute after the last time. */
export function watchSession(): () => void {
  let asked = Date.now()
  const look = () => {
    asked = Date.now()
    void askForSession()
  }
  const returned = () => {
    if (document.visibilityState === 'visible') look()
  }
  const pressed = () => {
    if (Date.now() - asked >= ASK_EVERY_MS) look()
  }
  document.addEventListener('visibilitychange', returned)
  document.addEventListener('pointerdown', pressed)
  document.addEventListener('keydown', pressed)
  return () => {
    document.removeEventListener('visibilitychange', returned)
    document.removeEventListener('pointerdown', pressed)
    document.removeEventListener('keydown', pressed)
  }
}
