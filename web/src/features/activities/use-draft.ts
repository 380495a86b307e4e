import { useCallback, useState } from 'react'
import { type Fecha, firstOf, type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from './api.ts'
import { type Draft, draftLike, emptyDraft, hasText } from './draft.ts'

/** The creation dialog: what is typed survives closing it; a success leaves only the date. */
export function useDraft() {
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(''))
  const [open, setOpen] = useState(false)
  const [lastUsed, setLastUsed] = useState<Fecha | null>(null)

  const show = useCallback((next: Draft) => {
    setDraft(next)
    setOpen(true)
  }, [])
  const openLike = useCallback((actividad: Actividad) => show(draftLike(actividad)), [show])

  const openOn = useCallback((fecha: Fecha) => {
    setDraft((before) => ({ ...before, fecha }))
    setOpen(true)
  }, [])

  return {
    draft,
    open,
    change: setDraft,
    close: () => setOpen(false),
    /** A day of the calendar: that day, and whatever was typed before. */
    openOn,
    /** The button: the date already typed, else the last one used, else a sensible day of the open month. */
    openIn: (mes: Mes, today: Fecha) => {
      const fallback = lastUsed ?? (monthOf(today) === mes ? today : firstOf(mes))
      show(hasText(draft) && draft.fecha ? draft : { ...draft, fecha: fallback })
    },
    openLike,
    created: (fecha: Fecha) => {
      setLastUsed(fecha)
      setDraft(emptyDraft(fecha))
      setOpen(false)
    },
  }
}
