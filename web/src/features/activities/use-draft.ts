import { useCallback, useEffect, useState } from 'react'
import { type Fecha, firstOf, type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from './api.ts'
import { type Draft, draftLike, emptyDraft, hasText } from './draft.ts'
import { type Drafts, keptDrafts } from './kept-drafts.ts'

/** The form that repeats nothing. */
const OWN = ''

/**
 * The creation dialog: what is typed survives closing it and a reload; a success leaves only the date. To repeat a
 * plan is a draft of its own, so that it never takes the place of one that was begun.
 */
export function useDraft() {
  const [drafts, setDrafts] = useState<Drafts>(keptDrafts.read)
  const [source, setSource] = useState(OWN)
  const [open, setOpen] = useState(false)
  const [lastUsed, setLastUsed] = useState<Fecha | null>(null)
  const draft = drafts[source] ?? emptyDraft('')
  const own = drafts[OWN] ?? emptyDraft('')

  // Nothing to clean up: the tab keeps it.
  useEffect(() => keptDrafts.keep(drafts), [drafts])

  const openLike = useCallback((actividad: Actividad) => {
    const { id } = actividad
    setDrafts((before) => ({ ...before, [id]: before[id] ?? draftLike(actividad) }))
    setSource(id)
    setOpen(true)
  }, [])

  const openOn = useCallback((fecha: Fecha) => {
    setDrafts((before) => ({ ...before, [OWN]: { ...(before[OWN] ?? emptyDraft('')), fecha } }))
    setSource(OWN)
    setOpen(true)
  }, [])

  return {
    draft,
    open,
    change: (next: Draft) => setDrafts((before) => ({ ...before, [source]: next })),
    close: () => setOpen(false),
    /** A day of the calendar: that day, and whatever was typed before. */
    openOn,
    /** The button: the date already typed, else the last one used, else a sensible day of the open month. */
    openIn: (mes: Mes, today: Fecha) => {
      const fallback = lastUsed ?? (monthOf(today) === mes ? today : firstOf(mes))
      openOn(hasText(own) && own.fecha ? own.fecha : fallback)
    },
    openLike,
    created: (fecha: Fecha) => {
      setLastUsed(fecha)
      setDrafts(({ [source]: _sent, ...others }) => others)
      setOpen(false)
    },
  }
}
