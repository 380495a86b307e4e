import type { Fecha } from '#lib/dates.ts'
import type { Actividad } from './api.ts'

/** The actions an item of the list offers; the page carries them out. */
export type ActivityActions = {
  remove: (actividad: Actividad) => void
  /** Opens the creation dialog with the same plan and no date. */
  again: (actividad: Actividad) => void
  /** Opens the plan's sheet. */
  open: (id: string) => void
  /** Opens the plan's sheet at its history. */
  history: (id: string) => void
  /** Opens the form on a pending proposal of one's own. */
  edit: (actividad: Actividad) => void
  /** Asks for another date for the partner's pending proposal. */
  otherDate: (actividad: Actividad) => void
  /** Leads to the activity's day in the calendar. */
  showDay: (fecha: Fecha) => void
}

/** A request of another part of the screen to focus an item; each new object is a new request. */
export type ItemRequest = { id: string }

/** The item's element, for moving the focus to it. */
export const itemId = (id: string): string => `actividad-${id}`

/** The heading of the next plans. */
export const UPCOMING_TITLE_ID = 'proximos-planes'

/** The list's heading: where the focus goes when there is no item to go to. */
export const LIST_TITLE_ID = 'actividades'

export function focusItem(id: string | null): void {
  const target =
    (id && document.getElementById(itemId(id))) || document.getElementById(LIST_TITLE_ID)
  target?.focus()
}
