import type { ComponentProps, MouseEvent } from 'react'
import { createPortal } from 'react-dom'
import styles from './dialog.module.css'
import { useModality } from './use-modality.ts'

type ModalProps = Omit<ComponentProps<'div'>, 'role' | 'ref'> & {
  role: 'dialog' | 'alertdialog'
  onClose: () => void
  onPressBeside?: () => void
  onFocusBack?: (() => boolean) | undefined
}

const keepFocus = (event: MouseEvent) => event.preventDefault()

/**
 * The frame of every dialog: above the page, behind a veil that takes the presses. It changes no inherited
 * style of the page, so that opening it costs the same whatever the page holds.
 */
export function Modal({ onClose, onPressBeside, onFocusBack, ...rest }: ModalProps) {
  const box = useModality(onClose, onFocusBack)
  return createPortal(
    <>
      {/* The keyboard's way out is Escape. */}
      <div
        className={styles.veil}
        aria-hidden="true"
        onMouseDown={keepFocus}
        onClick={onPressBeside}
      />
      <div {...rest} ref={box} tabIndex={-1} />
    </>,
    document.body,
  )
}
