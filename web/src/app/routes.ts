/** Every route and the modules that it needs besides the entry: for the router, the build and its budget. */
import { paths } from '#lib/paths.ts'

const LAYOUT = '/src/app/session-layout.tsx'

export const routes: Readonly<Record<string, readonly string[]>> = {
  [paths.landing]: [],
  [paths.auth]: [LAYOUT, '/src/pages/auth-page.tsx'],
  [paths.dashboard]: [LAYOUT, '/src/pages/dashboard-page.tsx'],
}
