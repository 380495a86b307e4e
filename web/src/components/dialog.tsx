/** The app's two dialogs. Their library comes when the browser is idle, or at the first opening. */
import { lazy, Suspense, useState } from 'react'
import type { ConfirmDialogProps } from './alert-dialog.tsx'
import type { DialogProps } from './modal-dialog.tsx'

const loadModal = () => import('./modal-dialog.tsx')
const loadAlert = () => import('./alert-dialog.tsx')

const LazyModal = lazy(loadModal)
const LazyAlert = lazy(loadAlert)

/** True from the first opening on, so that closing can still be animated. */
function useNeeded(open: boolean): boolean {
  const [needed, setNeeded] = useState(open)
  if (open && !needed) setNeeded(true)
  return needed
}

export function Dialog(props: DialogProps) {
  return useNeeded(props.open) ? (
    <Suspense fallback={null}>
      <LazyModal {...props} />
    </Suspense>
  ) : null
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  return useNeeded(props.open) ? (
    <Suspense fallback={null}>
      <LazyAlert {...props} />
    </Suspense>
  ) : null
}

/** Fetches both while nothing else is going on. A failure is no matter: opening asks again. */
export function preloadDialogs(): () => void {
  const fetchBoth = () => void Promise.allSettled([loadModal(), loadAlert()])
  // Safari has no idle callback.
  if (!('requestIdleCallback' in window)) {
    const timer = globalThis.setTimeout(fetchBoth, 1500)
    return () => globalThis.clearTimeout(timer)
  }
  const handle = window.requestIdleCallback(fetchBoth, { timeout: 4000 })
  return () => window.cancelIdleCallback(handle)
}
