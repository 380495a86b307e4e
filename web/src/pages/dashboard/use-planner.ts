import { useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useToday } from '#components/use-today.ts'
import {
  type ActivityActions,
  focusItem,
  type ItemRequest,
  itemId,
} from '#features/activities/activity-actions.ts'
import type { Actividad } from '#features/activities/api.ts'
import { type Draft, toRow } from '#features/activities/draft.ts'
import { indexByMonth } from '#features/activities/month-index.ts'
import { useDraft } from '#features/activities/use-draft.ts'
import { useAuth } from '#features/auth/auth-context.tsx'
import type { FocusRequest } from '#features/calendar/use-grid-focus.ts'
import type { Profile } from '#features/profile/api.ts'
import { type Fecha, firstOf, isFecha, type Mes, monthOf } from '#lib/dates.ts'
import { catalogue, dashboard } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import { monthSlot } from '#lib/stored.ts'
import type { DashboardData } from './use-dashboard-data.ts'

/** What another tab or hand may have written is no month. */
function keptMonth(): Mes | null {
  const kept = monthSlot.get()
  return kept && isFecha(firstOf(kept)) ? kept : null
}

const nothing: readonly Actividad[] = []

/** The open month, the creation dialog and the question before a deletion. */
export function usePlanner(profile: Profile, { common, before, changes, online }: DashboardData) {
  const { user, hasSession } = useAuth()
  const today = useToday()
  const [chosen, setChosen] = useState<Mes | null>(keptMonth)
  const mes = chosen ?? monthOf(today)
  // A long list may take a moment: the calendar does not wait for it.
  const listMes = useDeferredValue(mes)
  const [dayRequest, setDayRequest] = useState<FocusRequest | null>(null)
  const [itemRequest, setItemRequest] = useState<ItemRequest | null>(null)
  const index = useMemo(() => indexByMonth(common ?? nothing), [common])
  const former = useMemo(() => indexByMonth(before), [before])
  const draft = useDraft()
  const deletion = useDeletion(
    [...index.inMonth(listMes), ...former.inMonth(listMes)],
    changes.remove.mutateAsync,
  )

  const create = async (filled: Draft) => {
    if (!user || !(await hasSession())) return notify.error(catalogue.signInFirst)
    const row = toRow(filled, { userId: user.id, parejaId: profile.pareja_id })
    const made = await changes.create.mutateAsync(row).then(
      () => true,
      () => false,
    )
    if (made) draft.created(filled.fecha)
  }

  const answer = changes.answer.mutateAsync
  const { ask } = deletion
  const { openLike, openOn } = draft
  const actions = useMemo<ActivityActions>(
    () => ({
      answer: (actividad, estado) =>
        answer({ actividad, estado }).then(
          () => true,
          () => false,
        ),
      remove: ask,
      again: openLike,
      showDay: (fecha) => setDayRequest({ fecha }),
    }),
    [answer, ask, openLike],
  )

  const openMonth = useCallback(
    (next: Mes) => {
      const current = next === monthOf(today)
      setChosen(current ? null : next)
      if (current) monthSlot.clear()
      else monthSlot.set(next)
    },
    [today],
  )

  /** A day is no button that could look switched off: without a network it says why nothing opens. */
  const openDay = useCallback(
    (fecha: Fecha) => (online ? openOn(fecha) : notify.info(dashboard.offlineReadOnly)),
    [online, openOn],
  )

  const goToItem = useCallback(
    (month: Mes, id: string) => {
      openMonth(month)
      setItemRequest({ id })
    },
    [openMonth],
  )

  return {
    today,
    mes,
    listMes,
    openMonth,
    openDay,
    index,
    former,
    draft,
    create,
    deletion,
    actions,
    dayRequest,
    itemRequest: listMes === mes ? itemRequest : null,
    goToItem,
  }
}

type Remove = (actividad: Actividad) => Promise<unknown>

/** Asks, deletes, and leads the focus to the item that takes the deleted one's place. */
function useDeletion(shown: readonly Actividad[], remove: Remove) {
  const [asked, setAsked] = useState<Actividad | null>(null)
  const [busy, setBusy] = useState(false)
  const next = useRef<string | null>(null)
  const gone = useRef(false)

  const confirm = async () => {
    if (!asked || busy) return
    const place = shown.findIndex(({ id }) => id === asked.id)
    next.current = (shown[place + 1] ?? shown[place - 1])?.id ?? null
    setBusy(true)
    gone.current = await remove(asked).then(
      () => true,
      () => false,
    )
    setBusy(false)
    setAsked(null)
  }

  /** Whether the focus was led elsewhere because the item that asked is gone. */
  const moveFocus = () => {
    const lost = gone.current || (asked !== null && !document.getElementById(itemId(asked.id)))
    if (lost) focusItem(next.current)
    gone.current = false
    return lost
  }

  return { asked, busy, ask: setAsked, cancel: () => setAsked(null), confirm, moveFocus }
}
