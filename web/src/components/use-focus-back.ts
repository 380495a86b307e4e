import { useRef } from 'react'

/** The element of a dialog that takes the focus first, instead of its first control. */
export const FIRST_FOCUS = { 'data-first-focus': true } as const

/**
 * Where the focus goes when a dialog opens and closes. Radix gives it back to a trigger alone; here dialogs
 * open from state, so whatever had the focus gets it back, unless `lead` took it elsewhere (and said so).
 */
export function useFocusBack(lead: (() => boolean) | undefined) {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = document.activeElement
      const dialog = event.currentTarget
      if (!(dialog instanceof HTMLElement)) return
      const first = dialog.querySelector<HTMLElement>('[data-first-focus]')
      if (!first) return
      event.preventDefault()
      first.focus()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      if (lead?.()) return
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}
