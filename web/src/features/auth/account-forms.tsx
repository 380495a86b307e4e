import { KeyRound, Mail } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { type FieldErrors, useFieldErrors } from '#hooks/use-field-errors.ts'
import { auth, rules } from '#lib/messages.ts'
import { openingLink, account as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { changeEmail, changePassword, currentEmail, WrongPassword } from './account-actions.ts'
import styles from './account-forms.module.css'
import { emailError, MIN_PASSWORD } from './credentials.ts'
import { MailCode } from './mail-code.tsx'
import { PasswordField } from './password-field.tsx'

type AccountName = 'actual' | 'nueva' | 'email'

/** One form of the account: its errors, and one sending at a time. */
export function useAccountForm(
  check: (form: HTMLFormElement) => FieldErrors<AccountName>,
  send: () => Promise<void>,
) {
  const { errors, report, clear } = useFieldErrors<AccountName>()
  const [busy, setBusy] = useState(false)
  const readOnly = useReadOnly()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    if (busy || readOnly.title || !report(form, check(form))) return
    setBusy(true)
    try {
      await send()
    } catch (error) {
      if (error instanceof WrongPassword) report(form, { actual: text.wrongPassword })
      else notify.error(serverSentence(error))
    } finally {
      setBusy(false)
    }
  }
  return { errors, clear, busy, submit, readOnly }
}

export function EmailForm() {
  const [now, setNow] = useState('')
  const [email, setEmail] = useState('')
  const [mailed, setMailed] = useState<readonly string[]>([])
  const { errors, clear, busy, submit, readOnly } = useAccountForm(
    (form) => {
      const problem = emailError(form)
      return problem ? { email: problem } : {}
    },
    async () => {
      await changeEmail(email.trim())
      setMailed([email.trim(), now])
      setEmail('')
      notify.success(text.emailSent)
    },
  )

  const confirmed = (whole: boolean) => {
    if (!whole) return notify.info(openingLink.half)
    notify.success(openingLink.address)
    setNow(mailed[0] ?? '')
    setMailed([])
  }

  useEffect(() => {
    let current = true
    void currentEmail().then((found) => current && setNow(found))
    return () => {
      current = false
    }
  }, [])

  return (
    <details className={styles.fold}>
      <summary className={styles.summary}>{text.changeEmail}</summary>
      <form noValidate onSubmit={submit}>
        <p className={styles.note}>
          {text.emailNow} <bdi>{now}</bdi>
        </p>
        <Field label={text.newEmail} error={errors.email}>
          {(control) => (
            <input
              {...control}
              name="email"
              type="email"
              required
              autoComplete="email"
              value={email}
              onChange={(event) => {
                setEmail(event.target.value)
                clear('email')
              }}
            />
          )}
        </Field>
        <Button {...readOnly} type="submit" busy={busy} icon={<Mail />}>
          {text.sendEmail}
        </Button>
      </form>
      {mailed.length > 0 ? (
        <MailCode emails={mailed} kind="email_change" onDone={confirmed} readOnly={readOnly} />
      ) : null}
    </details>
  )
}

export function PasswordForm() {
  const [current, setCurrent] = useState('')
  const [wanted, setWanted] = useState('')
  const { errors, clear, busy, submit, readOnly } = useAccountForm(
    () => ({
      ...(current === '' ? { actual: text.currentRequired } : {}),
      ...(wanted.length < MIN_PASSWORD ? { nueva: rules.password } : {}),
    }),
    async () => {
      await changePassword(current, wanted)
      setCurrent('')
      setWanted('')
      notify.success(auth.passwordSaved)
    },
  )
  return (
    <details className={styles.fold}>
      <summary className={styles.summary}>{text.changePassword}</summary>
      <form noValidate onSubmit={submit}>
        <PasswordField
          name="actual"
          label={text.currentPassword}
          error={errors.actual}
          autoComplete="current-password"
          value={current}
          onChange={(event) => {
            setCurrent(event.target.value)
            clear('actual')
          }}
        />
        <PasswordField
          name="nueva"
          label={auth.newPasswordTitle}
          hint={auth.passwordHint}
          error={errors.nueva}
          autoComplete="new-password"
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value)
            clear('nueva')
          }}
        />
        <p className={styles.note}>{text.othersEnd}</p>
        <Button {...readOnly} type="submit" busy={busy} icon={<KeyRound />}>
          {auth.savePassword}
        </Button>
      </form>
    </details>
  )
}
