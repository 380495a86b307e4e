import type { Actividad, Answer } from './api.ts'

/** What an item of the list can ask for. The page does it. */
export type ActivityActions = {
  /** Resolves to whether the server took the answer. */
  answer: (actividad: Actividad, estado: Answer) => Promise<boolean>
  remove: (actividad: Actividad) => void
}

/** The item's element, for whoever has to move the focus to it. */
export const itemId = (id: string): string => `actividad-${id}`

/** The list's heading: where the focus goes when there is no item to go to. */
export const LIST_TITLE_ID = 'actividades'

export function focusItem(id: string | null): void {
  const target =
    (id && document.getElementById(itemId(id))) || document.getElementById(LIST_TITLE_ID)
  target?.focus()
}
