import type { FocusEvent } from 'react'
import { createPortal } from 'react-dom'
import { Toaster as Sonner } from 'sonner'
import { product } from '#lib/messages.ts'
import { ABOVE_DIALOGS } from './dialog-marks.ts'
import styles from './toaster.module.css'
import { useMediaQuery } from './use-media-query.ts'

/** Where notifications appear: under the notch on phones, in the corner elsewhere. At most three. */
export function Toaster() {
  const phone = useMediaQuery('(max-width: 767px)')
  return createPortal(
    <div {...ABOVE_DIALOGS} onFocusCapture={keepFromSonner}>
      <Sonner
        className={styles.toaster ?? ''}
        position={phone ? 'top-center' : 'bottom-right'}
        visibleToasts={3}
        containerAriaLabel={product.notifications}
        toastOptions={{
          closeButtonAriaLabel: product.closeNotification,
          classNames: {
            toast: styles.toast ?? '',
            success: styles.success ?? '',
            error: styles.error ?? '',
            info: styles.info ?? '',
          },
        }}
      />
    </div>,
    document.body,
  )
}

/** Sonner gives the focus back to where it came from whenever it leaves, which holds the Tab key in a loop. */
function keepFromSonner(event: FocusEvent): void {
  event.stopPropagation()
}
