import type { FocusEvent } from 'react'
import { createPortal } from 'react-dom'
import { Toaster as Sonner } from 'sonner'
import { useMediaQuery } from '#hooks/use-media-query.ts'
import { product } from '#lib/messages.ts'
import { ABOVE_DIALOGS } from './dialog-marks.ts'
import styles from './toaster.module.css'

/** Above the button at the bottom of a phone, and a sheet's own. */
const PHONE_OFFSET = { bottom: 'calc(5.5rem + env(safe-area-inset-bottom))' }

/** Where notifications appear: over the thumb's button on phones, in the corner elsewhere. At most three. */
export function Toaster() {
  const phone = useMediaQuery('(max-width: 767px)')
  return createPortal(
    <div {...ABOVE_DIALOGS} onFocusCapture={keepFromSonner}>
      <Sonner
        className={styles.toaster ?? ''}
        position={phone ? 'bottom-center' : 'bottom-right'}
        mobileOffset={PHONE_OFFSET}
        {...(phone ? { offset: PHONE_OFFSET } : {})}
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
