import { useAuth } from '#features/auth/auth-context.tsx'
import { ProtectedRoute } from '#features/auth/protected-route.tsx'
import { askForProfile } from '#features/profile/use-profile.ts'
import { Dashboard } from './dashboard/dashboard.tsx'

/** Runs as soon as this code is here, before the first render. */
export const prepare = askForProfile

export default function DashboardPage() {
  const { user } = useAuth()
  // Another person in the same tab starts with nothing of the one before.
  return (
    <ProtectedRoute>{user ? <Dashboard key={user.id} userId={user.id} /> : null}</ProtectedRoute>
  )
}
