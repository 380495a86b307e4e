import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { auth, catalogue } from '#lib/messages.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import styles from './auth-form.module.css'
import { type MailKind, verifyCode } from './verify-code.ts'

type MailCodeProps = {
  /** The addresses that got a code. */
  emails: readonly string[]
  kind: MailKind
  /** False if the code of another address is still needed. */
  onDone?: (whole: boolean) => void
  /** Why it cannot be sent just now, as the button's attributes. */
  readOnly?: { 'aria-disabled'?: true; title?: string }
}

/** A field for a mail's code, an alternative to its link for mails that are read on another device. */
export function MailCode({ emails, kind, onDone, readOnly }: MailCodeProps) {
  const { errors, report, clear } = useFieldErrors<'token'>()
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = typed.replace(/\s/g, '')
    const problem = /^\d{6,10}$/.test(token) ? {} : { token: auth.codeRequired }
    if (busy || readOnly?.title || !report(event.currentTarget, problem)) return
    setBusy(true)
    try {
      const whole = await verifyCode(emails, token, kind)
      setTyped('')
      onDone?.(whole)
    } catch (error) {
      notify.error(serverSentence(error, catalogue.genericFailure))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={submit} className={`${styles.form} ${styles.code}`}>
      <Field label={auth.code} hint={auth.codeHint} error={errors.token}>
        {(control) => (
          <input
            {...control}
            name="token"
            required
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value)
              clear('token')
            }}
          />
        )}
      </Field>
      <Button {...readOnly} type="submit" busy={busy} icon={<KeyRound />}>
        {auth.useCode}
      </Button>
    </form>
  )
}
