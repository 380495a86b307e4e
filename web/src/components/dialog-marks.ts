/** The element of a dialog that takes the focus first, instead of its first control. */
export const FIRST_FOCUS = { 'data-first-focus': true } as const

/** A child of the body that stays in use beside an open dialog: the notifications. */
export const ABOVE_DIALOGS = { 'data-above-dialogs': true } as const

export const firstFocusIn = (dialog: HTMLElement | null): HTMLElement | null =>
  dialog?.querySelector<HTMLElement>('[data-first-focus]') ?? null

export const isAboveDialogs = (element: Element): element is HTMLElement =>
  element.matches('[data-above-dialogs]')
