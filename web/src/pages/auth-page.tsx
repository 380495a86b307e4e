import { useState } from 'react'
import { Navigate, useLocation, useSearchParams } from 'react-router-dom'
import { Brand } from '#components/brand.tsx'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { Page } from '#components/page.tsx'
import { ThemeSwitch } from '#components/theme-switch.tsx'
import { useAuth } from '#features/auth/auth-context.tsx'
import { type AuthMode, CredentialsForm } from '#features/auth/credentials-form.tsx'
import { NewPasswordForm } from '#features/auth/new-password-form.tsx'
import { auth } from '#lib/messages.ts'
import { INVITATION_PARAM, paths } from '#lib/paths.ts'
import { invitationSlot } from '#lib/stored.ts'
import styles from './auth-page.module.css'

/** Keeps the code of an invitation link before any redirect can lose it. */
function useInvitation(): string | null {
  const [params] = useSearchParams()
  const [code] = useState(() => {
    const brought = params.get(INVITATION_PARAM)
    if (brought) invitationSlot.set(brought)
    return brought ?? invitationSlot.get()
  })
  return code
}

/** The search part of the dashboard's address that led here; '' where there is none. */
function askedFor(state: unknown): string {
  const from = typeof state === 'object' && state !== null ? Reflect.get(state, 'from') : null
  return typeof from === 'string' ? from : ''
}

export default function AuthPage() {
  const { user, loading, recovering } = useAuth()
  const invitation = useInvitation()
  const from = askedFor(useLocation().state)
  const [mode, setMode] = useState<AuthMode>(invitation ? 'register' : 'login')

  if (loading) return <LoadingScreen />
  if (user && !recovering) return <Navigate to={paths.dashboard + from} replace />

  const title = recovering ? auth.newPasswordTitle : auth[mode]
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <Brand />
        <ThemeSwitch />
      </header>
      <Page title={title} className={styles.page}>
        <div className={styles.card}>
          <h1 className={styles.title}>{title}</h1>
          {recovering ? (
            <NewPasswordForm />
          ) : (
            <>
              {invitation ? <p className={styles.invited}>{auth.invited}</p> : null}
              <CredentialsForm mode={mode} onMode={setMode} />
            </>
          )}
        </div>
      </Page>
    </div>
  )
}
