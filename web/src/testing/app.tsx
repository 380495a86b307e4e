import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { vi } from 'vitest'
import { ANA, Backend, COUPLE, sessionOf } from './backend.ts'

/** Opens an address in the whole app, with modules as new as in a freshly loaded page. */
export async function openApp(address: string) {
  vi.resetModules()
  window.history.replaceState(null, '', address)
  const { App } = await import('#app/app.tsx')
  render(<App />)
  return { user: userEvent.setup(), backend: Backend.current }
}

/** Ana, paired with Luis, and the server's answers to her dashboard. */
export function signedInAsAna(rows: readonly object[] = []): void {
  localStorage.setItem('sb-backend-auth-token', JSON.stringify(sessionOf(ANA, 'Ana')))
  serveAna(rows)
}

export function serveAna(rows: readonly object[]): void {
  Backend.current
    .on('GET', '/rest/v1/profiles', ({ query }) =>
      query.has('pareja_id')
        ? { body: [{ id: 'luis', nombre: 'Luis', pareja_id: COUPLE }] }
        : { body: { id: ANA, nombre: 'Ana', pareja_id: COUPLE } },
    )
    .on('GET', '/rest/v1/actividades', () => ({ body: rows }))
    .on('POST', '/auth/v1/logout', () => ({ status: 204 }))
}
