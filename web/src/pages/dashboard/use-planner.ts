import { useCallback, useMemo, useState } from 'react'
import type { ActivityActions, ItemRequest } from '#features/activities/activity-actions.ts'
import {
  type Actividad,
  type Changes,
  createActividad,
  editActividad,
} from '#features/activities/api.ts'
import { toRow } from '#features/activities/form/draft.ts'
import { useDraft } from '#features/activities/form/use-draft.ts'
import { indexByMonth } from '#features/activities/month-index.ts'
import { notesOf } from '#features/activities/notes.ts'
import { upcomingOf, waitingFor } from '#features/activities/overview/waiting.ts'
import { type Send, useCreate, useEdit, useLatest } from '#features/activities/use-activities.ts'
import { useAuth } from '#features/auth/auth-context.tsx'
import type { FocusRequest } from '#features/calendar/use-grid-focus.ts'
import type { Profile } from '#features/profile/api.ts'
import { useAddress } from '#hooks/use-address.ts'
import { useAfterPaint } from '#hooks/use-after-paint.ts'
import { useToday } from '#hooks/use-today.ts'
import { type Fecha, type Mes, monthOf } from '#lib/dates.ts'
import { catalogue, dashboard } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import type { DashboardData } from './use-dashboard-data.ts'

const nothing: readonly Actividad[] = []

/** The open month, the creation dialog and which plan is about to be deleted. */
export function usePlanner(profile: Profile, { common, before, online }: DashboardData) {
  const { user, hasSession } = useAuth()
  const today = useToday()
  const [address, go] = useAddress()
  const mes = address.mes ?? monthOf(address.dia ?? today)
  // A long list takes time to render: calendar and marks do not wait for it.
  const listMes = useAfterPaint(useAfterPaint(mes))
  const [dayRequest, setDayRequest] = useState<FocusRequest | null>(null)
  const [itemRequest, setItemRequest] = useState<ItemRequest | null>(null)
  const index = useMemo(() => indexByMonth(common ?? nothing), [common])
  const former = useMemo(() => indexByMonth(before), [before])
  const waiting = useMemo(
    () => waitingFor(common ?? nothing, profile.id, today),
    [common, profile.id, today],
  )
  const notes = useMemo(() => notesOf(common ?? nothing), [common])
  const upcoming = useMemo(() => upcomingOf(common ?? nothing, today), [common, today])
  const draft = useDraft()
  const create = useCreate(profile.id)
  const [deletion, setDeletion] = useState<Actividad | null>(null)

  const propose = async (filled: Changes, send?: Send) => {
    if (!user || !(await hasSession())) return notify.error(catalogue.signInFirst)
    const { ideaId } = draft
    const row = {
      ...toRow(filled, { userId: user.id, parejaId: profile.pareja_id }),
      ...(ideaId ? { idea_id: ideaId } : {}),
    }
    const made = await create.mutateAsync(send ?? (() => createActividad(row))).then(
      () => true,
      () => false,
    )
    if (made) draft.created(filled.fecha)
  }

  const openMonth = useCallback(
    (next: Mes, how: 'replace' | 'replace later' = 'replace later') =>
      go({ mes: next === monthOf(today) ? null : next }, how),
    [go, today],
  )

  const edit = useEdit(profile.id)
  const latest = useLatest(profile.id)
  const [dateAsked, setDateAsked] = useState<Actividad | null>(null)

  /** After a refusal because the plan changed meanwhile, the text stays and is saved on its present revision. */
  const save = async (filled: Changes, send?: Send) => {
    const { edited } = draft
    if (!edited) return
    const saved = await edit.mutateAsync(send ?? (() => editActividad(edited, filled))).then(
      () => true,
      () => false,
    )
    const now = latest(edited.id)
    if (saved) draft.saved()
    else if (now) draft.readAgain(now)
  }

  /** The plan whose sheet opens at its history. */
  const [history, setHistory] = useState<string | null>(null)

  const { openLike, openOn, openEdit } = draft

  /** Of any month: pending and coming plans are not only the open month's. */
  const showDay = useCallback(
    (fecha: Fecha) => {
      go({ vista: 'mes', dia: null }, 'replace')
      openMonth(monthOf(fecha), 'replace')
      setDayRequest({ fecha })
    },
    [go, openMonth],
  )

  const actions = useMemo<ActivityActions>(
    () => ({
      remove: setDeletion,
      // Each replaces the sheet.
      again: (actividad) => {
        go({ plan: null }, 'replace')
        openLike(actividad)
      },
      edit: (actividad) => {
        go({ plan: null }, 'replace')
        openEdit(actividad)
      },
      otherDate: (actividad) => {
        go({ plan: null }, 'replace')
        setDateAsked(actividad)
      },
      open: (plan) => {
        setHistory(null)
        go({ plan }, 'push later')
      },
      history: (plan) => {
        setHistory(plan)
        go({ plan }, 'push later')
      },
      showDay,
    }),
    [go, openLike, openEdit, showDay],
  )

  /** A day cannot look disabled: offline, a notification says why nothing opens. */
  const openDay = useCallback(
    (fecha: Fecha) => (online ? openOn(fecha) : notify.info(dashboard.offlineReadOnly)),
    [online, openOn],
  )

  const goToItem = useCallback(
    (month: Mes, id: string) => {
      go({ vista: 'mes', dia: null }, 'replace')
      openMonth(month, 'replace')
      setItemRequest({ id })
    },
    [go, openMonth],
  )

  return {
    address,
    go,
    today,
    mes,
    listMes,
    waiting,
    upcoming,
    showDay,
    openMonth,
    openDay,
    index,
    former,
    draft,
    submit: draft.edited ? save : propose,
    dateAsked,
    dateDone: () => setDateAsked(null),
    notes,
    history,
    deletion,
    /** The rendered list, to find the item that gets a deleted item's focus. */
    inList: [...index.inMonth(listMes), ...former.inMonth(listMes)],
    deletionDone: () => setDeletion(null),
    actions,
    dayRequest,
    itemRequest: listMes === mes ? itemRequest : null,
    goToItem,
  }
}
