import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type Fecha, firstOf, type Mes, monthOf } from '#lib/dates.ts'
import { dayAfterKey } from './grid-keys.ts'

/** Another part of the screen may ask the grid to focus a day: a new object each time asks again. */
export type FocusRequest = { fecha: Fecha }

type Options = {
  mes: Mes
  today: Fecha
  onMonth: (mes: Mes) => void
  request: FocusRequest | null
}

/** Roving tabindex: one day is the grid's stop, and keys move it, across months too. */
export function useGridFocus({ mes, today, onMonth, request }: Options) {
  const grid = useRef<HTMLTableElement>(null)
  const [active, setActive] = useState(today)
  const [wanted, setWanted] = useState<FocusRequest | null>(null)

  const within = (fecha: Fecha) => monthOf(fecha) === mes
  const stop = within(active) ? active : within(today) ? today : firstOf(mes)

  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfterKey(event, stop, today)
    if (!next) return
    event.preventDefault()
    setActive(next)
    setWanted({ fecha: next })
    if (!within(next)) onMonth(monthOf(next))
  }

  // No cleanup: a request is answered once, when its day is on the screen.
  useEffect(() => {
    if (wanted) focusDay(grid.current, wanted.fecha)
  }, [wanted])

  // No cleanup, as above. The asker has already opened the day's month.
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
