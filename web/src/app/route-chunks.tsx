/** The chunks that only some routes need; supabase-js, larger than everything else, is in these alone. */
import { type ComponentType, type LazyExoticComponent, lazy, useState } from 'react'
import { routes } from './routes.ts'

type Part = {
  fetch: () => Promise<unknown>
  /** Its component, once it is loaded. */
  component: ComponentType | null
  lazily: LazyExoticComponent<ComponentType>
}

type Page = { default: ComponentType; prepare?: () => Promise<void> }

function part(load: () => Promise<Page>): Part {
  const fetch = () =>
    load().then((module) => {
      made.component = module.default
      void module.prepare?.()
      return module
    })
  const made: Part = { fetch, component: null, lazily: lazy(fetch) }
  return made
}

const loaders = import.meta.glob<Page>([
  '/src/app/session-layout.tsx',
  '/src/pages/{auth,dashboard}-page.tsx',
])
const parts = new Map(Object.entries(loaders).map(([module, load]) => [module, part(load)]))

function partOf(module: string): Part {
  const found = parts.get(module)
  if (!found) throw new Error(`no route has ${module}`)
  return found
}

/**
 * Renders a chunk that is loaded already without React.lazy: React keeps a Suspense fallback on the screen for 300 ms,
 * however soon the code is there.
 */
function Show({ part }: { part: Part }) {
  const [Shown] = useState(() => part.component ?? part.lazily)
  return <Shown />
}

const shown = (module: string) => {
  const found = partOf(module)
  return () => <Show part={found} />
}

export const SessionLayout = shown('/src/app/session-layout.tsx')
export const AuthPage = shown('/src/pages/auth-page.tsx')
export const DashboardPage = shown('/src/pages/dashboard-page.tsx')

/** Preloads a route's chunks in parallel; null for none. After a failure, rendering retries and shows the error. */
export function preload(path: string): Promise<unknown> | null {
  const needed = routes[path]
  return needed?.length ? Promise.allSettled(needed.map((module) => partOf(module).fetch())) : null
}
