import { UserX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Dialog } from '#components/dialog.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { product } from '#lib/messages.ts'
import { account as text } from '#lib/messages-later.ts'
import { paths } from '#lib/paths.ts'
import { farewellSlot } from '#lib/stored.ts'
import { deleteAccount } from './account-actions.ts'
import styles from './account-forms.module.css'
import { useAccountForm } from './account-forms.tsx'
import { useAuth } from './auth-context.tsx'
import { PasswordField } from './password-field.tsx'

/** Deletes the account. `children` offers to download everything first. */
export function AccountDeletion({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState(false)
  const readOnly = useReadOnly()
  return (
    <>
      <Button
        {...readOnly}
        variant="reject"
        className={styles.remove}
        icon={<UserX />}
        onClick={() => setAsking(true)}
      >
        {text.remove}
      </Button>
      <Dialog open={asking} title={text.removeQuestion} onClose={() => setAsking(false)}>
        <DeletionForm onCancel={() => setAsking(false)}>{children}</DeletionForm>
      </Dialog>
    </>
  )
}

function DeletionForm({ onCancel, children }: { onCancel: () => void; children: ReactNode }) {
  const { signOut } = useAuth()
  const [password, setPassword] = useState('')
  const { errors, clear, busy, submit, readOnly } = useAccountForm(
    () => (password === '' ? { actual: text.currentRequired } : {}),
    async () => {
      await deleteAccount(password)
      farewellSlot.set('1')
      await signOut('local')
      window.location.replace(paths.landing)
    },
  )
  return (
    <form noValidate onSubmit={submit}>
      <DialogBody>
        <p>{text.removeText}</p>
        {children}
        <PasswordField
          name="actual"
          label={text.currentPassword}
          error={errors.actual}
          autoComplete="current-password"
          value={password}
          onChange={(event) => {
            setPassword(event.target.value)
            clear('actual')
          }}
        />
      </DialogBody>
      <DialogActions>
        <Button onClick={onCancel}>{product.cancel}</Button>
        <Button {...readOnly} type="submit" variant="danger" busy={busy} icon={<UserX />}>
          {text.removeForGood}
        </Button>
      </DialogActions>
    </form>
  )
}
