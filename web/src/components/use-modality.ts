import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'

/** The element of a dialog that takes the focus first, instead of its first control. */
export const FIRST_FOCUS = { 'data-first-focus': true } as const

/** A child of the body that stays in use beside an open dialog: the notifications. */
export const ABOVE_DIALOGS = { 'data-above-dialogs': true } as const
const ABOVE = '[data-above-dialogs]'

const TABBABLE = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** The dialogs that are open. Only the last, on top, leads the focus and hears Escape. */
const open: HTMLElement[] = []

/**
 * Makes an element modal for as long as it is there: the focus goes into it, stays in it, and goes back to
 * what had it, unless `lead` takes it elsewhere and says so; Escape closes; the rest of the page is hidden
 * from assistive technology and does not scroll.
 */
export function useModality(
  onClose: () => void,
  lead: (() => boolean) | undefined,
): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<Element | null>(null)
  const goingBack = useRef<number | undefined>(undefined)
  const close = useEffectEvent(onClose)
  const led = useEffectEvent(() => lead?.() ?? false)

  useEffect(() => {
    const dialog = box.current
    if (!dialog) return
    // React's strict mode leaves and comes back at once: what opened the dialog is still the same.
    window.clearTimeout(goingBack.current)
    opener.current ??= document.activeElement
    const release = holdPage(dialog)
    let last: HTMLElement = dialog

    const onFocusIn = ({ target }: FocusEvent) => {
      if (open.at(-1) !== dialog || !(target instanceof HTMLElement)) return
      if (dialog.contains(target)) last = target
      else if (!target.closest(ABOVE)) last.focus()
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (open.at(-1) !== dialog || event.defaultPrevented || event.isComposing) return
      if (event.key === 'Escape') close()
      if (event.key === 'Tab') turnBack(event, dialog)
    }
    document.addEventListener('focusin', onFocusIn)
    document.addEventListener('keydown', onKeyDown)
    focusFirst(dialog)
    return () => {
      document.removeEventListener('focusin', onFocusIn)
      document.removeEventListener('keydown', onKeyDown)
      release()
      // Later, when what closed the dialog has changed the page.
      goingBack.current = window.setTimeout(() => {
        if (!led() && opener.current instanceof HTMLElement) opener.current.focus()
        opener.current = null
      })
    }
  }, [])

  return box
}

/** Hides the page behind the dialog and holds it where it is; the answer undoes it. */
function holdPage(dialog: HTMLElement): () => void {
  const hidden = [...document.body.children].filter(
    (element) => !element.contains(dialog) && !element.matches(`${ABOVE}, [aria-hidden], script`),
  )
  const root = document.documentElement
  open.push(dialog)
  root.dataset.modal ??= window.innerWidth > root.clientWidth ? 'bar' : ''
  for (const element of hidden) element.setAttribute('aria-hidden', 'true')
  return () => {
    open.splice(open.indexOf(dialog), 1)
    if (open.length === 0) delete root.dataset.modal
    for (const element of hidden) element.removeAttribute('aria-hidden')
  }
}

const stopsOf = (dialog: HTMLElement): HTMLElement[] =>
  [...dialog.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (element) => element.tabIndex >= 0 && !element.matches(':disabled'),
  )

function focusFirst(dialog: HTMLElement): void {
  const wanted = dialog.querySelector<HTMLElement>('[data-first-focus]')
  const target = wanted ?? stopsOf(dialog)[0] ?? dialog
  target.focus()
  if (target instanceof HTMLInputElement) target.select()
}

/** Tab leads from the last control to the first, and from outside back in. */
function turnBack(event: KeyboardEvent, dialog: HTMLElement): void {
  const active = document.activeElement
  if (active?.closest(ABOVE)) return
  const stops = stopsOf(dialog)
  const first = stops[0] ?? dialog
  const last = stops.at(-1) ?? dialog
  const inside = active !== dialog && dialog.contains(active)
  const end = event.shiftKey ? first : last
  if (inside && active !== end) return
  // From the dialog itself Tab goes on to its first control as it is.
  if (active === dialog && !event.shiftKey && stops.length > 0) return
  event.preventDefault()
  const other = event.shiftKey ? last : first
  other.focus()
}
