/**
 * The service worker: the app's own files from a cache, so that it opens without a network. Nothing of the
 * backend is ever cached or even touched. `__PLANES_PRECACHE__` and `__PLANES_VERSION__` are written in by scripts/precache.ts.
 */
import { pathOf, readAlert } from './alert.ts'
import { answersFromCache, isPage } from './routing.ts'

declare const self: ServiceWorkerGlobalScope
declare const __PLANES_PRECACHE__: readonly string[]
declare const __PLANES_VERSION__: string

const SHELL = '/'
const CACHE = `planes-${__PLANES_VERSION__}`

self.addEventListener('install', (event) => {
  // No skipWaiting: a new version takes over when the user says so, never under their hands.
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...__PLANES_PRECACHE__, SHELL])))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith('planes-') && name !== CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  )
})

self.addEventListener('message', (event) => {
  if (event.data === 'update') void self.skipWaiting()
})

/** The network's page where there is one: it carries the server's current configuration. */
async function page(request: Request): Promise<Response> {
  const answer = fetch(request)
  try {
    return await Promise.race([answer, late()])
  } catch {
    return (await caches.match(SHELL, { cacheName: CACHE })) ?? answer
  }
}

const PAGE_TIMEOUT_MS = 3000

const late = () =>
  new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the page is late')), PAGE_TIMEOUT_MS)
  })

async function file(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request)
}

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (request.mode === 'navigate' && isPage(url.pathname)) event.respondWith(page(request))
  else if (answersFromCache(url.pathname, __PLANES_PRECACHE__)) event.respondWith(file(request))
})

/** A cache that exists while a user with push alerts is signed in; the page creates and deletes it. */
const SIGNED_IN_CACHE = 'avisos'

/** After sign-out on this device, pushes that still arrive are not shown. */
async function tell(data: PushMessageData | null): Promise<void> {
  if (!(await caches.has(SIGNED_IN_CACHE))) {
    await (await self.registration.pushManager.getSubscription())?.unsubscribe()
    return
  }
  const windows = await self.clients.matchAll({ type: 'window' })
  const { title, options, said } = alertOf(data)
  // A visible page notifies itself.
  const seen = windows.filter(({ visibilityState }) => visibilityState === 'visible')
  for (const page of seen) if (said) page.postMessage({ alert: said })
  if (seen.length > 0) return
  await self.registration.showNotification(title, options)
}

function alertOf(data: PushMessageData | null) {
  try {
    return readAlert(data?.json())
  } catch {
    return readAlert(null)
  }
}

self.addEventListener('push', (event) => event.waitUntil(tell(event.data)))

/** Opens the plan, in an open page if there is one. */
async function show(path: string): Promise<void> {
  const [open] = await self.clients.matchAll({ type: 'window' })
  if (!open) await self.clients.openWindow(path)
  else await (await open.focus()).navigate(path)
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(pathOf(event.notification.data)))
})
