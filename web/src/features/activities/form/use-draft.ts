import { useCallback, useEffect, useState } from 'react'
import { type Fecha, firstOf, type Mes, monthOf } from '#lib/dates.ts'
import type { Actividad } from '../api.ts'
import {
  type Draft,
  draftLike,
  draftOf,
  draftOfIdea,
  emptyDraft,
  hasText,
  type IdeaLike,
} from './draft.ts'
import { type Drafts, keptDrafts } from './kept-drafts.ts'

/** The key of the draft that repeats no plan. */
const OWN = ''

/** Editing a plan and repeating it are two drafts. */
const editOf = (id: string) => `editar:${id}`

/**
 * The creation dialog's draft: it survives closing and a reload; after a success only the date is kept. Repeating a
 * plan has a draft of its own, so that it does not replace one that was begun.
 */
export function useDraft() {
  const [drafts, setDrafts] = useState<Drafts>(keptDrafts.read)
  const [source, setSource] = useState(OWN)
  const [open, setOpen] = useState(false)
  /** The proposal that is edited, as it was when its form was opened. */
  const [edited, setEdited] = useState<Actividad | null>(null)
  /** The idea that is given a date. */
  const [ideaId, setIdeaId] = useState<string | null>(null)
  const [lastUsed, setLastUsed] = useState<Fecha | null>(null)
  const draft = drafts[source] ?? emptyDraft('')
  const own = drafts[OWN] ?? emptyDraft('')

  // Nothing to clean up: the tab keeps it.
  useEffect(() => keptDrafts.keep(drafts), [drafts])

  const openWith = useCallback((source: string, made: Draft, idea: string | null) => {
    setDrafts((before) => ({ ...before, [source]: before[source] ?? made }))
    setSource(source)
    setIdeaId(idea)
    setEdited(null)
    setOpen(true)
  }, [])

  const openLike = useCallback(
    (actividad: Actividad) => openWith(actividad.id, draftLike(actividad), null),
    [openWith],
  )

  const openIdea = useCallback(
    (idea: IdeaLike) => openWith(`idea:${idea.id}`, draftOfIdea(idea), idea.id),
    [openWith],
  )

  const openEdit = useCallback((actividad: Actividad) => {
    const { id } = actividad
    const source = editOf(id)
    setDrafts((before) => ({
      ...before,
      [source]: before[source] ?? draftOf(actividad),
    }))
    setSource(source)
    setIdeaId(null)
    setEdited(actividad)
    setOpen(true)
  }, [])

  const openOn = useCallback((fecha: Fecha) => {
    setDrafts((before) => ({ ...before, [OWN]: { ...(before[OWN] ?? emptyDraft('')), fecha } }))
    setSource(OWN)
    setIdeaId(null)
    setEdited(null)
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
    ideaId,
    openIdea,
    edited,
    openEdit,
    /** After a refused edit, saves on the plan's present revision; the text stays. */
    readAgain: (actividad: Actividad) => setEdited(actividad),
    saved: () => {
      setDrafts(({ [source]: _sent, ...others }) => others)
      setOpen(false)
    },
    created: (fecha: Fecha) => {
      setLastUsed(fecha)
      setDrafts(({ [source]: _sent, ...others }) => others)
      setOpen(false)
    },
  }
}
