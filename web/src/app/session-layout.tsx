import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { Toaster } from '#components/toaster.tsx'
import { systemAlerts } from '#features/alerts/system-alerts.ts'
import { AuthProvider } from '#features/auth/auth-context.tsx'
import { ownInvitation } from '#features/pairing/own-invitation.ts'
import { invitationSlot } from '#lib/stored.ts'
import { offlineCopy } from '#pages/dashboard/offline-copy.ts'
import { OpeningLinkNotice } from './opening-link-notice.tsx'
import { useAppUpdates } from './use-app-updates.ts'

function createQueryClient(): QueryClient {
  return new QueryClient({
    // An answer given without a network must fail at once and say so, not wait and be sent hours later.
    defaultOptions: { mutations: { networkMode: 'always' } },
  })
}

/** What somebody leaves behind on this device when they sign out, besides the session itself. */
function forgetPerson(): void {
  invitationSlot.clear()
  ownInvitation.clear()
  offlineCopy.clear()
  systemAlerts.forget()
}

/** Session, server state and notifications: wraps the routes that talk to the backend. */
export default function SessionLayout() {
  const [client] = useState(createQueryClient)
  useAppUpdates()
  return (
    <QueryClientProvider client={client}>
      <AuthProvider onLeave={forgetPerson} rememberedId={offlineCopy.owner}>
        <OpeningLinkNotice />
        <Suspense fallback={<LoadingScreen />}>
          <Outlet />
        </Suspense>
        <Toaster />
      </AuthProvider>
    </QueryClientProvider>
  )
}
