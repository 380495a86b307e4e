import * as Radix from '@radix-ui/react-alert-dialog'
import type { ReactNode } from 'react'
import { activities } from '#lib/messages.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { useFocusBack } from './use-focus-back.ts'

export type ConfirmDialogProps = {
  open: boolean
  question: string
  detail: string
  /** The button that says yes; the caller gives its words and its colour. */
  confirm: ReactNode
  onClose: () => void
  /** Asked when the question is gone: true when it led the focus elsewhere than to what opened it. */
  onFocusBack?: (() => boolean) | undefined
}

/** A question before something that cannot be undone. Focus starts on «Cancelar». */
export default function AlertDialog(props: ConfirmDialogProps) {
  const { open, question, detail, confirm, onClose, onFocusBack } = props
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.veil} />
        <Radix.Content
          className={`${styles.content} ${styles.confirm}`}
          {...useFocusBack(onFocusBack)}
        >
          <header className={styles.header}>
            <Radix.Title className={styles.title}>{question}</Radix.Title>
          </header>
          <Radix.Description className={styles.text}>{detail}</Radix.Description>
          <footer className={styles.actions}>
            <Radix.Cancel asChild>
              <Button>{activities.cancel}</Button>
            </Radix.Cancel>
            {confirm}
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
