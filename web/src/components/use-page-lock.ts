import { useEffect, useEffectEvent } from 'react'
import { afterPaint } from '#hooks/use-after-paint.ts'
import { holdHistory } from './dialog-history.ts'
import { isAboveDialogs } from './dialog-marks.ts'

/** The stack of open dialogs. Only the topmost handles Escape. */
const open: HTMLElement[] = []

/**
 * While a dialog is open, the rest of the page (but for notifications) is hidden from assistive technology and does
 * not scroll; Escape and the browser's «back» close the dialog.
 */
export function usePageLock(
  dialog: HTMLElement | null,
  onClose: () => void,
  /** The URL says that it is open, so «back» needs no history entry of its own. */
  addressed: boolean,
): void {
  const close = useEffectEvent(onClose)

  useEffect(() => {
    if (!dialog) return
    open.push(dialog)
    hideOthers()
    const release = addressed ? () => {} : holdHistory(() => close())
    // After the first paint, so that the press is answered sooner; nobody scrolls that early.
    const settled = afterPaint(holdScroll)
    const onKeyDown = (event: KeyboardEvent) => {
      if (open.at(-1) !== dialog || event.defaultPrevented || event.isComposing) return
      if (event.key === 'Escape') close()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      release()
      open.splice(open.indexOf(dialog), 1)
      hideOthers()
      settled()
      afterPaint(holdScroll)
    }
  }, [dialog, addressed])
}

/** Not `inert`: it is inherited, so that setting it recalculates the style of every element of a long month. */
function hideOthers(): void {
  const top = open.at(-1)
  for (const element of document.body.children) {
    if (isAboveDialogs(element) || element instanceof HTMLScriptElement) continue
    if (top && !element.contains(top)) element.setAttribute('aria-hidden', 'true')
    else element.removeAttribute('aria-hidden')
  }
}

function holdScroll(): void {
  const root = document.documentElement
  if (open.length === 0) delete root.dataset.modal
  else root.dataset.modal ??= window.innerWidth > root.clientWidth ? 'bar' : ''
}
