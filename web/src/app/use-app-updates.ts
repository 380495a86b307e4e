import { useEffect } from 'react'
import { pwa } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

const FILE = '/sw.js'

function offer(registration: ServiceWorkerRegistration): void {
  const { waiting } = registration
  if (!waiting) return
  notify.offer(pwa.newVersion, pwa.update, () => {
    // The page is reloaded once the new version has taken control.
    navigator.serviceWorker.addEventListener('controllerchange', () => window.location.reload(), {
      once: true,
    })
    waiting.postMessage('update')
  })
}

/** Watches for a new version that is downloaded and waiting while an older one is running. */
function watch(registration: ServiceWorkerRegistration): void {
  if (registration.waiting && navigator.serviceWorker.controller) offer(registration)
  registration.addEventListener('updatefound', () => {
    const { installing } = registration
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed' && navigator.serviceWorker.controller)
        offer(registration)
    })
  })
}

/** Late enough not to compete with the page's own loading. */
const REGISTER_AFTER_MS = 3000

/** Makes the app installable and readable without a network. Never in development: caches hide changes. */
export function useAppUpdates(): void {
  useEffect(() => {
    if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
    // Refused where there is no secure context: the app works the same, with a network.
    const register = () => void navigator.serviceWorker.register(FILE).then(watch, () => undefined)
    const timer = window.setTimeout(register, REGISTER_AFTER_MS)
    return () => window.clearTimeout(timer)
  }, [])
}
