import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { Fecha } from '#lib/dates.ts'
import type { DayAfterKey } from './grid-keys.ts'

/** A request of another part of the screen to focus a day; each new object is a new request. */
export type FocusRequest = { fecha: Fecha }

type Options = {
  /** The grid's tab stop while no other day is chosen. */
  first: Fecha
  /** Whether the grid shows a day. */
  holds: (fecha: Fecha) => boolean
  today: Fecha
  dayAfter: DayAfterKey
  /** A key leads to a day that is not shown. */
  onLeave: (fecha: Fecha) => void
  request: FocusRequest | null
}

/** Roving tabindex: one day is the grid's tab stop; keys move it, beyond the shown days too. */
export function useGridFocus(options: Options) {
  const { first, holds, today, dayAfter, onLeave, request } = options
  const grid = useRef<HTMLTableElement>(null)
  const [active, setActive] = useState(today)
  const [wanted, setWanted] = useState<FocusRequest | null>(null)

  const stop = holds(active) ? active : holds(today) ? today : first

  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfter(event, stop, today)
    if (!next) return
    event.preventDefault()
    setActive(next)
    setWanted({ fecha: next })
    if (!holds(next)) onLeave(next)
  }

  // No cleanup: each request is handled once, when its day is rendered.
  useEffect(() => {
    if (wanted) focusDay(grid.current, wanted.fecha)
  }, [wanted])

  // No cleanup, as above. The sender has already opened the day's month.
  useEffect(() => {
    if (!request) return
    setActive(request.fecha)
    focusDay(grid.current, request.fecha)
  }, [request])

  return { grid, stop, onKeyDown, onFocus: setActive }
}

function focusDay(grid: HTMLElement | null, fecha: Fecha): void {
  grid?.querySelector<HTMLElement>(`[data-fecha="${fecha}"]`)?.focus()
}
