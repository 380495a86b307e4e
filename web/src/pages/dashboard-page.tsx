import { useAuth } from '#features/auth/auth-context.tsx'
import { ProtectedRoute } from '#features/auth/protected-route.tsx'
import { askForProfile } from '#features/profile/use-profile.ts'
import { supabase } from '#lib/supabase.ts'
import { Dashboard } from './dashboard/dashboard.tsx'

/**
 * Runs as soon as this code is here, before the first render: the dashboard can show nothing without a profile, and
 * its first list waits for the live channel, whose socket may open meanwhile.
 */
export async function prepare(): Promise<void> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) return
  supabase.realtime.connect()
  await askForProfile(data.session.user.id)
}

export default function DashboardPage() {
  const { user } = useAuth()
  // Another person in the same tab starts with nothing of the one before.
  return (
    <ProtectedRoute>{user ? <Dashboard key={user.id} userId={user.id} /> : null}</ProtectedRoute>
  )
}
