import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Outlet } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { Toaster } from '#components/toaster.tsx'
import { keptDrafts } from '#features/activities/kept-drafts.ts'
import { systemAlerts } from '#features/alerts/system-alerts.ts'
import { AuthProvider } from '#features/auth/auth-context.tsx'
import { offlineCopy } from '#features/offline/copy.ts'
import { ownInvitation } from '#features/pairing/own-invitation.ts'
import { serverCache } from '#lib/server-cache.ts'
import { invitationSlot, monthSlot } from '#lib/stored.ts'
import { OpeningLinkNotice } from './opening-link-notice.tsx'
import { useAppUpdates } from './use-app-updates.ts'

/** What somebody leaves behind on this device when they sign out, besides the session itself. */
function forgetPerson(): void {
  invitationSlot.clear()
  ownInvitation.clear()
  keptDrafts.clear()
  monthSlot.clear()
  offlineCopy.clear()
  systemAlerts.forget()
}

/** Session, server state and notifications: wraps the routes that talk to the backend. */
export default function SessionLayout() {
  useAppUpdates()
  return (
    <QueryClientProvider client={serverCache}>
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
