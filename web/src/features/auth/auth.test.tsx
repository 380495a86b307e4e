import { renderHook, screen, waitFor } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { openApp, serveAna, signedInAsAna } from '#testing/app.tsx'
import { ANA, Backend, sessionOf } from '#testing/backend.ts'
import { useAuth } from './auth-context.tsx'

const button = (name: string) => screen.getByRole('button', { name })
const heading = (name: string) => screen.findByRole('heading', { name })

async function fill(user: Awaited<ReturnType<typeof openApp>>['user'], values: object) {
  for (const [label, value] of Object.entries(values))
    await user.type(screen.getByLabelText(label), value)
}

describe('the auth screen', () => {
  it('names each of its buttons once, in both modes', async () => {
    const { user } = await openApp('/auth')
    await heading('Iniciar Sesión')
    expect(button('Iniciar Sesión')).toHaveAttribute('type', 'submit')
    await user.click(button('Crear Cuenta'))
    await heading('Crear Cuenta')
    expect(button('Crear Cuenta')).toHaveAttribute('type', 'submit')
    expect(button('Iniciar Sesión')).toHaveAttribute('type', 'button')
  })

  it('says what is wrong beside the fields and asks the server nothing', async () => {
    const { user, backend } = await openApp('/auth')
    await heading('Iniciar Sesión')
    await user.click(button('Crear Cuenta'))
    await fill(user, { 'Correo electrónico': 'ana', Contraseña: '12345' })
    await user.click(button('Crear Cuenta'))
    const name = screen.getByLabelText('Nombre')
    expect(name).toHaveAccessibleDescription('Por favor ingresa tu nombre')
    expect(name).toHaveFocus()
    expect(screen.getByLabelText('Correo electrónico')).toBeInvalid()
    expect(screen.getByLabelText('Contraseña')).toHaveAccessibleDescription(/al menos 6 caracteres/)
    expect(backend.calls).toEqual([])
  })

  it('signs in, welcomes, and goes to the dashboard', async () => {
    serveAna([])
    const { user, backend } = await openApp('/auth')
    backend.on('POST', '/auth/v1/token', () => ({ body: sessionOf(ANA, 'Ana') }))
    await heading('Iniciar Sesión')
    await fill(user, { 'Correo electrónico': 'ana@example.com', Contraseña: 'secreta' })
    await user.click(button('Iniciar Sesión'))
    // Together: on a busy machine the one has gone before the other is there.
    await Promise.all([screen.findByText('¡Bienvenido de vuelta!'), heading('Hola, Ana')])
    expect(window.location.pathname).toBe('/dashboard')
    const [call] = backend.called('POST', '/auth/v1/token')
    expect(call?.query.get('grant_type')).toBe('password')
    expect(call?.body).toMatchObject({ email: 'ana@example.com', password: 'secreta' })
  })

  it('shows the server’s message when it refuses', async () => {
    const { user, backend } = await openApp('/auth')
    const body = { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' }
    backend.on('POST', '/auth/v1/token', () => ({ status: 400, body }))
    await heading('Iniciar Sesión')
    await fill(user, { 'Correo electrónico': 'ana@example.com', Contraseña: 'secreta' })
    await user.click(button('Iniciar Sesión'))
    expect(await screen.findByText('Invalid login credentials')).toBeInTheDocument()
    expect(window.location.pathname).toBe('/auth')
  })

  it('ends a sign-up in login mode, although the server answers with a session', async () => {
    const { user, backend } = await openApp('/auth')
    backend
      .on('POST', '/auth/v1/signup', () => ({ body: sessionOf(ANA, 'Ana') }))
      .on('POST', '/auth/v1/logout', () => ({ status: 204 }))
    await heading('Iniciar Sesión')
    await user.click(button('Crear Cuenta'))
    await fill(user, {
      Nombre: ' Ana ',
      'Correo electrónico': 'ana@example.com',
      Contraseña: 'secreta',
    })
    await user.click(button('Crear Cuenta'))
    expect(await screen.findByText('¡Cuenta creada! Puedes iniciar sesión')).toBeInTheDocument()
    await heading('Iniciar Sesión')
    expect(window.location.pathname).toBe('/auth')
    expect(localStorage.getItem('sb-backend-auth-token')).toBeNull()
    expect(screen.getByLabelText('Correo electrónico')).toHaveValue('ana@example.com')
    expect(screen.getByLabelText('Contraseña')).toHaveFocus()
    const [call] = backend.called('POST', '/auth/v1/signup')
    expect(call?.body).toMatchObject({ data: { nombre: 'Ana' } })
    expect(call?.query.get('redirect_to')).toBe(`${window.location.origin}/`)
  })

  it('sends the recovery mail to the address in the form', async () => {
    const { user, backend } = await openApp('/auth')
    backend.on('POST', '/auth/v1/recover', () => ({ body: {} }))
    await heading('Iniciar Sesión')
    await user.click(button('¿Olvidaste tu contraseña?'))
    expect(screen.getByLabelText('Correo electrónico')).toHaveFocus()
    await fill(user, { 'Correo electrónico': 'ana@example.com' })
    await user.click(button('¿Olvidaste tu contraseña?'))
    await screen.findByText(/Te hemos enviado un correo/)
    const [call] = backend.called('POST', '/auth/v1/recover')
    expect(call?.query.get('redirect_to')).toBe(`${window.location.origin}/auth`)
  })
})

describe('the session', () => {
  it('sends strangers from the dashboard to /auth, and the signed-in from /auth to the dashboard', async () => {
    await openApp('/dashboard')
    await heading('Iniciar Sesión')
    expect(window.location.pathname).toBe('/auth')
    signedInAsAna()
    await openApp('/auth')
    await heading('Hola, Ana')
    expect(window.location.pathname).toBe('/dashboard')
  })

  it('ends with «Salir», and nothing of it stays on the device', async () => {
    signedInAsAna()
    const { user } = await openApp('/dashboard')
    sessionStorage.setItem('planes.invitacion', 'ABCDEFGH')
    await user.click(await screen.findByRole('button', { name: 'Salir' }))
    await heading('Iniciar Sesión')
    expect(localStorage.getItem('sb-backend-auth-token')).toBeNull()
    expect(sessionStorage.getItem('planes.invitacion')).toBeNull()
  })

  it('ends on this device although the server cannot be told', async () => {
    signedInAsAna()
    const { user, backend } = await openApp('/dashboard')
    backend.on('POST', '/auth/v1/logout', () => ({ status: 500, body: { msg: 'down' } }))
    await user.click(await screen.findByRole('button', { name: 'Salir' }))
    await heading('Iniciar Sesión')
    expect(localStorage.getItem('sb-backend-auth-token')).toBeNull()
  })

  it('keeps the code of an invitation link across the redirect', async () => {
    signedInAsAna()
    Backend.current.on('GET', '/rest/v1/profiles', () => ({
      body: { id: ANA, nombre: 'Ana', pareja_id: null },
    }))
    Backend.current.on('POST', '/rest/v1/rpc/ver_invitacion', () => ({ body: { nombre: 'Luis' } }))
    const { backend } = await openApp('/auth?invitacion=k7qx-2mpd')
    expect(await screen.findByRole('alertdialog', { name: '¿Planear junto a Luis?' })).toBeVisible()
    expect(backend.called('POST', '/rest/v1/rpc/ver_invitacion')[0]?.body).toEqual({
      codigo: 'K7QX2MPD',
    })
  })
})

describe('a recovery link', () => {
  const hash = `access_token=e30.e30.e30&refresh_token=r&expires_in=3600&token_type=bearer&type=recovery`

  it.each(['/auth', '/'])(
    'asks for the new password before anything else, opened at %s',
    async (path) => {
      serveAna([])
      Backend.current
        .on('GET', '/auth/v1/user', () => ({ body: sessionOf(ANA, 'Ana').user }))
        .on('PUT', '/auth/v1/user', () => ({ body: sessionOf(ANA, 'Ana').user }))
      const { user, backend } = await openApp(`${path}#${hash}`)
      await heading('Nueva contraseña')
      expect(window.location.pathname).toBe('/auth')
      await user.type(screen.getByLabelText('Nueva contraseña'), 'cinco')
      await user.click(button('Guardar contraseña'))
      expect(screen.getByLabelText('Nueva contraseña')).toBeInvalid()
      await user.type(screen.getByLabelText('Nueva contraseña'), '-y-seis')
      await user.click(button('Guardar contraseña'))
      await heading('Hola, Ana')
      expect(backend.called('PUT', '/auth/v1/user')[0]?.body).toMatchObject({
        password: 'cinco-y-seis',
      })
    },
  )

  it('that is spent says so in Spanish', async () => {
    await openApp(
      '/auth#error=access_denied&error_code=otp_expired&error_description=It+has+expired',
    )
    await heading('Iniciar Sesión')
    expect(
      await screen.findByText('El enlace no es válido o ha caducado. Pide otro.'),
    ).toBeInTheDocument()
  })
})

describe('a session that was ended elsewhere', () => {
  it('is noticed on coming back to the tab, and said', async () => {
    signedInAsAna()
    Backend.current.on('GET', '/auth/v1/user', () => ({
      status: 403,
      body: { code: 403, error_code: 'session_not_found', msg: 'Session not found' },
    }))
    await openApp('/dashboard')
    await heading('Hola, Ana')
    // Whoever listens may come a moment after what is shown.
    await waitFor(() => {
      document.dispatchEvent(new Event('visibilitychange'))
      expect(screen.getByRole('heading', { name: 'Iniciar Sesión' })).toBeVisible()
    })
    expect(await screen.findByText('Tu sesión ha terminado. Vuelve a entrar.')).toBeInTheDocument()
  })
})

describe('useAuth', () => {
  it('refuses to work outside its provider', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect(() => renderHook(() => useAuth())).toThrow(
      'useAuth debe usarse dentro de un AuthProvider',
    )
  })

  it('a confirmation link at the site root signs in', async () => {
    const link = `access_token=e30.e30.e30&refresh_token=r&expires_in=3600&token_type=bearer&type=signup`
    Backend.current.on('GET', '/auth/v1/user', () => ({ body: sessionOf(ANA, 'Ana').user }))
    await openApp(`/#${link}`)
    await heading('Planes en Pareja')
    await waitFor(() => expect(localStorage.getItem('sb-backend-auth-token')).toContain(ANA))
    expect(await screen.findByText('Tu correo está confirmado')).toBeInTheDocument()
  })
})
