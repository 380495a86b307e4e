import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { Field } from '#components/field.tsx'
import { auth } from '#lib/messages.ts'
import styles from './auth-form.module.css'
import { MIN_PASSWORD } from './credentials.ts'

type PasswordFieldProps = {
  name?: string
  label: string
  hint?: string | undefined
  error?: string | undefined
} & Pick<ComponentProps<'input'>, 'autoComplete' | 'value' | 'onChange' | 'ref'>

/** A password with a button that shows it. */
export function PasswordField({
  name = 'password',
  label,
  hint,
  error,
  ...input
}: PasswordFieldProps) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  const toggle = (
    <button
      type="button"
      className={styles.eye}
      aria-label={auth.show}
      aria-pressed={shown}
      onClick={() => setShown(!shown)}
    >
      <Icon />
    </button>
  )
  return (
    <Field label={label} hint={hint} error={error} suffix={toggle}>
      {(control) => (
        <input
          {...control}
          {...input}
          type={shown ? 'text' : 'password'}
          name={name}
          required
          minLength={MIN_PASSWORD}
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </Field>
  )
}
