import * as Radix from '@radix-ui/react-dialog'
import type { ReactNode } from 'react'
import styles from './dialog.module.css'
import { useFocusBack } from './use-focus-back.ts'

export type DialogProps = {
  open: boolean
  title: string
  onClose: () => void
  /** Asked when the dialog is gone: true when it led the focus elsewhere than to what opened it. */
  onFocusBack?: (() => boolean) | undefined
  children: ReactNode
}

/** A modal: a bottom sheet on phones, a centred card elsewhere. Focus goes back to what opened it. */
export default function ModalDialog({ open, title, onClose, onFocusBack, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.veil} />
        <Radix.Content
          className={styles.content}
          aria-describedby={undefined}
          {...useFocusBack(onFocusBack)}
        >
          <header className={styles.header}>
            <Radix.Title className={styles.title}>{title}</Radix.Title>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
