import { type FocusEvent, useEffect } from 'react'
import { createPortal } from 'react-dom'
import { Toaster as Sonner, toast } from 'sonner'
import { useMediaQuery } from '#hooks/use-media-query.ts'
import { product } from '#lib/messages.ts'
import { type Notification, receiveNotifications } from '#lib/notify.ts'
import { ABOVE_DIALOGS } from './dialog-marks.ts'
import styles from './toaster.module.css'

/** How often a text's toast was dismissed, part of its id: one that is fading out would swallow a repeat. */
const gone = new Map<string, number>()

function show({ kind, text, id, action, ...options }: Notification): void {
  const times = gone.get(id) ?? 0
  const leave = () => void gone.set(id, times + 1)
  toast[kind](text, {
    ...options,
    id: `${id} ${times}`,
    onDismiss: leave,
    onAutoClose: leave,
    ...(action && {
      action: {
        label: action.label,
        onClick: () => {
          leave()
          action.onClick()
        },
      },
    }),
  })
}

/** Where notifications appear: in the header's empty middle, above the floating button on phones. */
export default function Toaster() {
  const phone = useMediaQuery('(max-width: 767px)')
  useEffect(() => receiveNotifications(show), [])
  return createPortal(
    <div {...ABOVE_DIALOGS} onFocusCapture={keepFromSonner}>
      <Sonner
        className={styles.toaster ?? ''}
        position={phone ? 'bottom-center' : 'top-center'}
        visibleToasts={3}
        gap={8}
        // The lane has its own margins.
        mobileOffset={{ left: 0, right: 0 }}
        containerAriaLabel={product.notifications}
        toastOptions={{
          unstyled: true,
          closeButtonAriaLabel: product.closeNotification,
          classNames: {
            toast: styles.toast ?? '',
            content: styles.content ?? '',
            icon: styles.icon ?? '',
            actionButton: styles.action ?? '',
            closeButton: styles.close ?? '',
          },
        }}
      />
    </div>,
    document.body,
  )
}

/** Sonner returns the focus to its origin whenever it leaves the list, which traps the Tab key. */
function keepFromSonner(event: FocusEvent): void {
  event.stopPropagation()
}
