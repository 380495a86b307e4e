import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { product } from '#lib/messages.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { FIRST_FOCUS } from './dialog-marks.ts'
import { Modal } from './modal.tsx'

type Shared = {
  open: boolean
  onClose: () => void
  /** Called after closing: true if the focus was moved already, so that it does not return to the opener. */
  onFocusBack?: (() => boolean) | undefined
}

type DialogProps = Shared & {
  title: string
  /** A wider dialog, for reading rather than a form. */
  wide?: boolean
  /** The URL says whether it is open, and its title takes the focus. */
  addressed?: boolean
  /** The name of a button beside the title that closes it, where its actions have none. */
  closeLabel?: string | undefined
  children: ReactNode
}

/** A modal: a bottom sheet on phones, a centred card elsewhere. A press beside it closes it. */
export function Dialog(props: DialogProps) {
  const { open, title, wide = false, addressed = false, closeLabel } = props
  const { onClose, onFocusBack, children } = props
  const first = addressed ? { ...FIRST_FOCUS, tabIndex: -1 } : {}
  const titleId = useId()
  if (!open) return null
  return (
    <Modal
      role="dialog"
      aria-labelledby={titleId}
      className={`${styles.content} ${wide ? styles.wide : ''}`}
      addressed={addressed}
      onClose={onClose}
      onPressBeside={onClose}
      onFocusBack={onFocusBack}
    >
      <header className={styles.header}>
        <h2 {...first} id={titleId} className={styles.title} dir="auto">
          {title}
        </h2>
        {closeLabel ? (
          <Button variant="quiet" aria-label={closeLabel} icon={<X />} onClick={onClose} />
        ) : null}
      </header>
      {children}
    </Modal>
  )
}

type ConfirmDialogProps = Shared & {
  question: string
  detail: string
  /** Further content of the question. */
  children?: ReactNode
  /** The confirm button; the caller gives its label and colour. */
  confirm: ReactNode
}

/** A question before something that cannot be undone. Focus starts on «Cancelar»; a press outside does not close it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, question, detail, children, confirm, onClose, onFocusBack } = props
  const id = useId()
  if (!open) return null
  return (
    <Modal
      role="alertdialog"
      aria-labelledby={`${id}-question`}
      aria-describedby={`${id}-detail`}
      className={`${styles.content} ${styles.confirm}`}
      onClose={onClose}
      onFocusBack={onFocusBack}
    >
      <header className={styles.header}>
        <h2 id={`${id}-question`} className={styles.title}>
          {question}
        </h2>
      </header>
      <p id={`${id}-detail`} className={styles.text} dir="auto">
        {detail}
      </p>
      {children}
      <footer className={styles.actions}>
        <Button {...FIRST_FOCUS} onClick={onClose}>
          {product.cancel}
        </Button>
        {confirm}
      </footer>
    </Modal>
  )
}
