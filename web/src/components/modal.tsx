import { type ComponentProps, type MouseEvent, useRef } from 'react'
import { createPortal } from 'react-dom'
import styles from './dialog.module.css'
import { useHeldFocus } from './use-held-focus.ts'
import { useHeldPage } from './use-held-page.ts'

type ModalProps = Omit<ComponentProps<'div'>, 'role' | 'ref'> & {
  role: 'dialog' | 'alertdialog'
  onClose: () => void
  onPressBeside?: () => void
  onFocusBack?: (() => boolean) | undefined
}

const keepFocus = (event: MouseEvent) => event.preventDefault()

/** The frame of every dialog: above the page, behind a veil that takes the presses; the focus stays in it. */
export function Modal({ onClose, onPressBeside, onFocusBack, ...rest }: ModalProps) {
  const box = useRef<HTMLDivElement>(null)
  useHeldPage(box, onClose)
  useHeldFocus(box, onFocusBack)
  return createPortal(
    <div>
      {/* The keyboard's way out is Escape. */}
      <div
        className={styles.veil}
        aria-hidden="true"
        onMouseDown={keepFocus}
        onClick={onPressBeside}
      />
      <div {...rest} ref={box} tabIndex={-1} />
    </div>,
    document.body,
  )
}
