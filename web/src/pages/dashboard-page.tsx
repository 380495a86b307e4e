import { useAuth } from '#features/auth/auth-context.tsx'
import { ProtectedRoute } from '#features/auth/protected-route.tsx'
import { askForProfile } from '#features/profile/use-profile.ts'
import { supabase } from '#lib/supabase.ts'
import { Dashboard } from './dashboard/dashboard.tsx'

/**
 * Runs when this chunk is loaded, before the first render: the dashboard needs the profile to show anything, and its
 * first list waits for the live channel, whose socket can open meanwhile.
 */
export async function prepare(): Promise<void> {
  const { data } = await supabase.auth.getSession()
  if (!data.session) return
  supabase.realtime.connect()
  await askForProfile(data.session.user.id)
}

export default function DashboardPage() {
  const { user } = useAuth()
  // Another person in the same tab gets a new component tree.
  return (
    <ProtectedRoute>{user ? <Dashboard key={user.id} userId={user.id} /> : null}</ProtectedRoute>
  )
}
