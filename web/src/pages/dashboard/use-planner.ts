import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { ActivityActions, ItemRequest } from '#features/activities/activity-actions.ts'
import type { Actividad } from '#features/activities/api.ts'
import { type Draft, toRow } from '#features/activities/draft.ts'
import { indexByMonth } from '#features/activities/month-index.ts'
import { useCreate } from '#features/activities/use-activities.ts'
import { useDraft } from '#features/activities/use-draft.ts'
import { useAuth } from '#features/auth/auth-context.tsx'
import type { FocusRequest } from '#features/calendar/use-grid-focus.ts'
import type { Profile } from '#features/profile/api.ts'
import { useToday } from '#hooks/use-today.ts'
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

/** The open month, the creation dialog and which plan is about to be deleted. */
export function usePlanner(profile: Profile, { common, before, online }: DashboardData) {
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
  const create = useCreate(profile.id)
  const [deletion, setDeletion] = useState<Actividad | null>(null)

  const propose = async (filled: Draft) => {
    if (!user || !(await hasSession())) return notify.error(catalogue.signInFirst)
    const row = toRow(filled, { userId: user.id, parejaId: profile.pareja_id })
    const made = await create.mutateAsync(row).then(
      () => true,
      () => false,
    )
    if (made) draft.created(filled.fecha)
  }

  const { openLike, openOn } = draft
  const actions = useMemo<ActivityActions>(
    () => ({
      remove: setDeletion,
      again: openLike,
      showDay: (fecha) => setDayRequest({ fecha }),
    }),
    [openLike],
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
    propose,
    deletion,
    /** What stands in the list, for whoever takes the focus of a deleted item. */
    inList: [...index.inMonth(listMes), ...former.inMonth(listMes)],
    deletionDone: () => setDeletion(null),
    actions,
    dayRequest,
    itemRequest: listMes === mes ? itemRequest : null,
    goToItem,
  }
}
