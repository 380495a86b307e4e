/** Notices a session that was ended elsewhere: its token stays good to this device until it expires. */
import { supabase } from '#lib/supabase.ts'

/** Nothing is asked of the server without a press or a return to the tab here, and not for every press. */
const ASK_EVERY_MS = 60_000

/** The client itself forgets a session that the server does not know any more, and tells of it as of a sign-out. */
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
