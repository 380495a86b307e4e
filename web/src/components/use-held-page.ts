import { hideOthers } from 'aria-hidden'
import { useEffect, useEffectEvent } from 'react'

/** The dialogs that are open. Only the last, on top, hears Escape. */
const open: HTMLElement[] = []

/**
 * While a dialog is there, the rest of the page but what stands above dialogs is hidden from assistive technology
 * and does not scroll; Escape closes.
 */
export function useHeldPage(
  dialog: HTMLElement | null,
  above: HTMLElement[],
  onClose: () => void,
): void {
  const close = useEffectEvent(onClose)

  useEffect(() => {
    if (!dialog) return
    const root = document.documentElement
    const show = hideOthers([dialog, ...above])
    open.push(dialog)
    root.dataset.modal ??= window.innerWidth > root.clientWidth ? 'bar' : ''
    const onKeyDown = (event: KeyboardEvent) => {
      if (open.at(-1) !== dialog || event.defaultPrevented || event.isComposing) return
      if (event.key === 'Escape') close()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      open.splice(open.indexOf(dialog), 1)
      if (open.length === 0) delete root.dataset.modal
      show()
    }
  }, [dialog, above])
}
