import { type RefObject, useEffect, useEffectEvent } from 'react'
import { firstFocusIn, isAboveDialogs } from './dialog-marks.ts'
import { isOnTop } from './use-held-page.ts'

const CONTROLS = 'a[href], button, input, select, summary, textarea, [tabindex]'

/**
 * While a dialog is on top, the focus stays in it, or in what stands above dialogs; Tab goes round. Afterwards the
 * focus goes back to where it came from, unless `onFocusBack` leads it elsewhere and says so.
 */
export function useHeldFocus(
  ref: RefObject<HTMLElement | null>,
  onFocusBack: (() => boolean) | undefined,
): void {
  const ledElsewhere = useEffectEvent(() => onFocusBack?.() ?? false)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const opener = document.activeElement
    let last = firstFocusIn(dialog) ?? stopsIn(dialog)[0] ?? dialog
    take(last)

    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || !isOnTop(dialog)) return
      if (dialog.contains(target)) last = target
      else if (!isAboveDialogs(target)) take(last.isConnected ? last : dialog)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      const next = roundTheEnd(dialog, event)
      if (!next) return
      event.preventDefault()
      take(next)
    }
    // A plan that the partner deletes may take the focus with it.
    const removals = new MutationObserver(() => {
      if (document.activeElement === document.body && isOnTop(dialog)) take(dialog)
    })
    document.addEventListener('focusin', onFocusIn)
    dialog.addEventListener('keydown', onKeyDown)
    removals.observe(dialog, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocusIn)
      dialog.removeEventListener('keydown', onKeyDown)
      removals.disconnect()
      // Once the page is as it will be without the dialog.
      window.setTimeout(() => {
        if (!ledElsewhere() && opener instanceof HTMLElement) take(opener)
      })
    }
  }, [ref])
}

/** What Tab reaches in a dialog, in its order. */
function stopsIn(dialog: HTMLElement): HTMLElement[] {
  return [...dialog.querySelectorAll<HTMLElement>(CONTROLS)].filter(
    (control) => control.tabIndex >= 0 && !control.matches(':disabled'),
  )
}

/** Where Tab leads from a dialog's last control, and back from its first. */
function roundTheEnd(dialog: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
  if (event.key !== 'Tab' || event.altKey || event.ctrlKey || event.metaKey) return undefined
  const stops = stopsIn(dialog)
  const [end, other] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]]
  return document.activeElement === end ? other : undefined
}

function take(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  if (element instanceof HTMLInputElement) element.select()
}
