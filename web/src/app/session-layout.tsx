import { QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { keptDrafts } from '#features/activities/kept-drafts.ts'
import { systemAlerts } from '#features/alerts/system-alerts.ts'
import { AuthProvider } from '#features/auth/auth-context.tsx'
import { offlineCopy } from '#features/offline/copy.ts'
import { ownInvitation } from '#features/pairing/own-invitation.ts'
import { whenIdle } from '#hooks/when-idle.ts'
import { forgetDevice } from '#lib/device.ts'
import { onFirstNotification } from '#lib/notify.ts'
import { serverCache } from '#lib/server-cache.ts'
import { invitationSlot } from '#lib/stored.ts'
import { OpeningLinkNotice } from './opening-link-notice.tsx'
import { useAppUpdates } from './use-app-updates.ts'

/** What somebody leaves behind on this device when they sign out, besides the session itself. */
function forgetPerson(): void {
  invitationSlot.clear()
  ownInvitation.clear()
  keptDrafts.clear()
  offlineCopy.clear()
  systemAlerts.forget()
  forgetDevice()
}

const Nothing = (): ReactNode => null

/** Without a network its code may not come: the page goes on without. */
const Toaster = lazy<ComponentType>(() =>
  import('#components/toaster.tsx').catch(() => ({ default: Nothing })),
)

/** With the first notification, or once the page has nothing else to do. */
function LateToaster() {
  const [due, setDue] = useState(false)

  useEffect(() => {
    const come = () => setDue(true)
    const stops = [whenIdle(come), onFirstNotification(come)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

  return <Suspense>{due ? <Toaster /> : null}</Suspense>
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
        <LateToaster />
      </AuthProvider>
    </QueryClientProvider>
  )
}
