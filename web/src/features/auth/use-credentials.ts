import { type FormEvent, useRef, useState } from 'react'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { auth, catalogue } from '#lib/messages.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { plainLine } from '#lib/plain-text.ts'
import { useAuth } from './auth-context.tsx'
import { type CredentialName, emailError, findCredentialErrors } from './credentials.ts'
import type { MailKind } from './verify-code.ts'

export type AuthMode = 'login' | 'register'

const blank = { nombre: '', email: '', password: '' }

/** The state and the three actions of the form on /auth. */
export function useCredentials(mode: AuthMode, onMode: (mode: AuthMode) => void) {
  const { signIn, signUp, sendRecovery } = useAuth()
  const { errors, report, clear } = useFieldErrors<CredentialName>()
  const [values, setValues] = useState(blank)
  const [busy, setBusy] = useState<'submit' | 'recovery' | null>(null)
  const [mailed, setMailed] = useState<{ email: string; kind: MailKind } | null>(null)
  const password = useRef<HTMLInputElement>(null)

  const change = (name: CredentialName, value: string) => {
    setValues((before) => ({ ...before, [name]: value }))
    clear(name)
  }

  const attempt = async (kind: 'submit' | 'recovery', action: () => Promise<void>) => {
    setBusy(kind)
    try {
      await action()
    } catch (error) {
      notify.error(serverSentence(error, catalogue.genericFailure))
    } finally {
      setBusy(null)
    }
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy || !report(event.currentTarget, findCredentialErrors(event.currentTarget))) return
    const email = values.email.trim()
    void attempt('submit', async () => {
      if (mode === 'login') {
        await signIn({ email, password: values.password })
        notify.success(catalogue.welcomeBack)
        return
      }
      const nombre = plainLine(values.nombre)
      const confirmed = await signUp({ nombre, email, password: values.password })
      setMailed(confirmed ? null : { email, kind: 'signup' })
      notify.success(catalogue.accountCreated)
      setValues({ ...blank, email })
      onMode('login')
      password.current?.focus()
    })
  }

  const recover = (form: HTMLFormElement | null) => {
    if (busy || !form) return
    const problem = emailError(form)
    if (!report(form, problem ? { email: problem } : {})) return
    void attempt('recovery', async () => {
      const email = values.email.trim()
      await sendRecovery(email)
      setMailed({ email, kind: 'recovery' })
      notify.success(auth.recoverySent)
    })
  }

  const switchMode = () => {
    clear()
    setMailed(null)
    onMode(mode === 'login' ? 'register' : 'login')
  }

  return { values, errors, busy, password, mailed, change, submit, recover, switchMode }
}
