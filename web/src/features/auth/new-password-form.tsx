import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/button.tsx'
import { useFieldErrors } from '#hooks/use-field-errors.ts'
import { auth, product, rules } from '#lib/messages.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { useAuth } from './auth-context.tsx'
import styles from './auth-form.module.css'
import { MIN_PASSWORD } from './credentials.ts'
import { PasswordField } from './password-field.tsx'

/** The last step of a recovery link. The page leaves for /dashboard once the password is stored. */
export function NewPasswordForm() {
  const { changePassword, signOut } = useAuth()
  const { errors, report, clear } = useFieldErrors<'password'>()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const short = password.length < MIN_PASSWORD
    if (busy || !report(event.currentTarget, short ? { password: rules.password } : {})) return
    setBusy(true)
    try {
      await changePassword(password)
      notify.success(auth.passwordSaved)
    } catch (error) {
      notify.error(serverSentence(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      <p className={styles.intro}>{auth.newPasswordText}</p>
      <PasswordField
        label={auth.newPasswordTitle}
        hint={auth.passwordHint}
        error={errors.password}
        autoComplete="new-password"
        value={password}
        onChange={(event) => {
          setPassword(event.target.value)
          clear('password')
        }}
      />
      <Button type="submit" variant="primary" busy={busy} icon={<KeyRound />}>
        {auth.savePassword}
      </Button>
      <Button variant="quiet" onClick={() => void signOut()}>
        {product.cancel}
      </Button>
    </form>
  )
}
