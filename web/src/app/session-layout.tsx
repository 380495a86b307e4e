import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { chunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { keptDrafts } from '#features/activities/form/kept-drafts.ts'
import { systemAlerts } from '#features/alerts/system-alerts.ts'
import { AuthProvider } from '#features/auth/auth-context.tsx'
import { offlineCopy } from '#features/offline/copy.ts'
import { ownInvitation } from '#features/pairing/own-invitation.ts'
import { whenIdle } from '#hooks/when-idle.ts'
import { openingLink } from '#lib/auth-link.ts'
import { forgetDevice } from '#lib/device.ts'
import { whenNobodyShows } from '#lib/notify.ts'
import { serverCache } from '#lib/server-cache.ts'
import { invitationSlot } from '#lib/stored.ts'
import { useAppUpdates } from './use-app-updates.ts'

/** Clears a person's data on this device when they sign out; the client removes the session itself. */
function forgetPerson(): void {
  invitationSlot.clear()
  ownInvitation.clear()
  keptDrafts.clear()
  offlineCopy.clear()
  systemAlerts.forget()
  forgetDevice()
}

const openingLinkNotice = chunk(() => import('./opening-link-notice.tsx'))
const toaster = chunk(() => import('#components/toaster.tsx'))

/** Loads the toaster when the browser is idle, or with the first notification; the next one retries a failed load. */
function LateToaster() {
  const [asked, setAsked] = useState(0)

  useEffect(() => {
    const ask = () => setAsked((times) => times + 1)
    const stops = [whenIdle(ask), whenNobodyShows(ask)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

  return asked > 0 ? <QuietLazyChunk key={asked} of={toaster} /> : null
}

/** Session, server state and notifications: wraps the routes that talk to the backend. */
export default function SessionLayout() {
  useAppUpdates()
  return (
    <QueryClientProvider client={serverCache}>
      <AuthProvider onLeave={forgetPerson} rememberedId={offlineCopy.owner}>
        {openingLink.kind === 'none' ? null : <QuietLazyChunk of={openingLinkNotice} />}
        <Suspense fallback={<LoadingScreen />}>
          <Outlet />
        </Suspense>
        <LateToaster />
      </AuthProvider>
    </QueryClientProvider>
  )
}
