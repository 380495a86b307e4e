/** The parts that only some routes need. The client of the backend outweighs the rest: these alone carry it. */
import { paths } from '#lib/paths.ts'

export const loadLayout = () => import('./session-layout.tsx')
export const loadAuth = () => import('#pages/auth-page.tsx')
export const loadDashboard = () => import('#pages/dashboard-page.tsx')

const chunks = new Map<string, (() => Promise<unknown>)[]>([
  [paths.auth, [loadLayout, loadAuth]],
  [paths.dashboard, [loadLayout, loadDashboard]],
])

/** Fetches what a route will need. A failure is no matter here: rendering asks again, and shows it. */
export function preload(path: string): void {
  for (const load of chunks.get(path) ?? []) load().catch(() => undefined)
}
