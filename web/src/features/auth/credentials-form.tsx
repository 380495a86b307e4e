import { LogIn, UserPlus } from 'lucide-react'
import { Button, TextButton } from '#components/button.tsx'
import { Field } from '#components/field.tsx'
import { auth } from '#lib/messages.ts'
import styles from './auth-form.module.css'
import { MAX_NAME } from './credentials.ts'
import { MailCode } from './mail-code.tsx'
import { PasswordField } from './password-field.tsx'
import { type AuthMode, useCredentials } from './use-credentials.ts'

export type { AuthMode }

type CredentialsFormProps = { mode: AuthMode; onMode: (mode: AuthMode) => void }

/** Sign-in and sign-up. In each mode one button submits and one switches, so every name names one control. */
export function CredentialsForm({ mode, onMode }: CredentialsFormProps) {
  const form = useCredentials(mode, onMode)
  const registering = mode === 'register'
  const Icon = registering ? UserPlus : LogIn
  return (
    <>
      <form noValidate onSubmit={form.submit} className={styles.form}>
        {registering ? (
          <Field label={auth.name} error={form.errors.nombre}>
            {(control) => (
              <input
                {...control}
                name="nombre"
                autoComplete="name"
                required
                maxLength={MAX_NAME}
                dir="auto"
                value={form.values.nombre}
                onChange={(event) => form.change('nombre', event.target.value)}
              />
            )}
          </Field>
        ) : null}
        <Field label={auth.email} error={form.errors.email}>
          {(control) => (
            <input
              {...control}
              type="email"
              name="email"
              autoComplete="email"
              required
              value={form.values.email}
              onChange={(event) => form.change('email', event.target.value)}
            />
          )}
        </Field>
        <PasswordField
          ref={form.password}
          label={auth.password}
          hint={registering ? auth.passwordHint : undefined}
          error={form.errors.password}
          autoComplete={registering ? 'new-password' : 'current-password'}
          value={form.values.password}
          onChange={(event) => form.change('password', event.target.value)}
        />
        <Button type="submit" variant="primary" busy={form.busy === 'submit'} icon={<Icon />}>
          {auth[mode]}
        </Button>
        {registering ? null : (
          <TextButton
            className={styles.forgotten}
            aria-busy={form.busy === 'recovery' || undefined}
            onClick={(event) => form.recover(event.currentTarget.form)}
          >
            {auth.forgotten}
          </TextButton>
        )}
        <p className={styles.switch}>
          {registering ? auth.hasAccount : auth.noAccount}{' '}
          <TextButton onClick={form.switchMode}>
            {registering ? auth.login : auth.register}
          </TextButton>
        </p>
      </form>
      {form.mailed ? (
        <MailCode
          key={form.mailed.email + form.mailed.kind}
          emails={[form.mailed.email]}
          kind={form.mailed.kind}
        />
      ) : null}
    </>
  )
}
