import type { ReactNode } from 'react'
import { Navigate } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { paths } from '#lib/paths.ts'
import { useAuth } from './auth-context.tsx'

/** Lets signed-in people through and sends the others to /auth. */
export function ProtectedRoute({ children }: { children: ReactNode }) {
  const { user, loading } = useAuth()
  if (loading) return <LoadingScreen />
  // The search part is restored after signing in.
  const from = window.location.search
  return user ? children : <Navigate to={paths.auth} replace state={{ from }} />
}
