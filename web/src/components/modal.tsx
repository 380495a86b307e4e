import { FocusScope } from '@radix-ui/react-focus-scope'
import type { ComponentProps, MouseEvent } from 'react'
import { useMemo, useState } from 'react'
import { createPortal } from 'react-dom'
import styles from './dialog.module.css'
import { firstFocusIn, isAboveDialogs } from './dialog-marks.ts'
import { usePageLock } from './use-page-lock.ts'

type ModalProps = Omit<ComponentProps<'div'>, 'role' | 'ref' | 'dir'> & {
  role: 'dialog' | 'alertdialog'
  onClose: () => void
  onPressBeside?: () => void
  /** The URL says whether it is open. */
  addressed?: boolean
  onFocusBack?: (() => boolean) | undefined
}

const keepFocus = (event: MouseEvent) => event.preventDefault()

/**
 * The frame of every dialog: a backdrop that takes presses, and a focus trap. Radix's Dialog is not used: it sets
 * inherited styles on the body, which restyles every element of a long month.
 */
export function Modal(props: ModalProps) {
  const { onClose, onPressBeside, onFocusBack, addressed = false, ...rest } = props
  const [box, setBox] = useState<HTMLElement | null>(null)
  const above = useMemo(
    () => (box ? [...document.body.children].filter(isAboveDialogs) : []),
    [box],
  )
  usePageLock(box, onClose, addressed)

  const focusFirst = (event: Event) => {
    const wanted = firstFocusIn(box)
    if (!wanted) return
    event.preventDefault()
    wanted.focus()
    if (wanted instanceof HTMLInputElement) wanted.select()
  }
  const giveBack = (event: Event) => {
    if (onFocusBack?.()) event.preventDefault()
  }
  return createPortal(
    <div>
      {/* By keyboard, Escape closes. */}
      <div
        className={styles.veil}
        aria-hidden="true"
        onMouseDown={keepFocus}
        onClick={onPressBeside}
      />
      <FocusScope
        {...rest}
        ref={setBox}
        trapped
        loop
        branches={above}
        onMountAutoFocus={focusFirst}
        onUnmountAutoFocus={giveBack}
      />
    </div>,
    document.body,
  )
}
