/** The parts that only some routes need. The client of the backend outweighs the rest: these alone carry it. */
import { type ComponentType, type LazyExoticComponent, lazy, useState } from 'react'
import { paths } from '#lib/paths.ts'

type Part = {
  fetch: () => Promise<unknown>
  /** Its component, once it is here. */
  here: ComponentType | null
  arriving: LazyExoticComponent<ComponentType>
}

type Page = { default: ComponentType; prepare?: () => Promise<void> }

function part(load: () => Promise<Page>): Part {
  const fetch = () =>
    load().then((module) => {
      made.here = module.default
      void module.prepare?.()
      return module
    })
  const made: Part = { fetch, here: null, arriving: lazy(fetch) }
  return made
}

const layout = part(() => import('./session-layout.tsx'))
const auth = part(() => import('#pages/auth-page.tsx'))
const dashboard = part(() => import('#pages/dashboard-page.tsx'))

/**
 * What is here renders at once: React holds back whatever follows a Suspense fallback, be that on the screen
 * for a moment, until it has been seen for 300 ms.
 */
function Show({ part }: { part: Part }) {
  const [Shown] = useState(() => part.here ?? part.arriving)
  return <Shown />
}

export const SessionLayout = () => <Show part={layout} />
export const AuthPage = () => <Show part={auth} />
export const DashboardPage = () => <Show part={dashboard} />

const parts = new Map<string, readonly Part[]>([
  [paths.auth, [layout, auth]],
  [paths.dashboard, [layout, dashboard]],
])

/** Fetches what a route needs, side by side; null where that is nothing. After a failure rendering asks again, and shows it. */
export function preload(path: string): Promise<unknown> | null {
  const needed = parts.get(path)
  return needed ? Promise.allSettled(needed.map(({ fetch }) => fetch())) : null
}
