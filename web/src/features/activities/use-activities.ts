import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { logFailure } from '#lib/log.ts'
import { catalogue, deletion, editing, otherDate } from '#lib/messages.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { throttled } from '#lib/throttled.ts'
import {
  type Actividad,
  type Answer,
  answerActividad,
  deleteActividad,
  listActividades,
  type OtherDate,
  proposeOtherDate,
} from './api.ts'
import type { DeletionScope } from './series/series-api.ts'
import { recoverPlan } from './sheet/trash-api.ts'

/** A burst of events reloads the list once (ms). */
const RELOAD_EVERY_MS = 300

export const activitiesKey = (userId: string) => ['actividades', userId] as const

type Options = {
  /** The first request waits for the live channel, so that no change is missed between the two. */
  enabled: boolean
  /** Asks again this often while the live channel is down. */
  pollMs: number | false
}

export function useActivityList(userId: string, { enabled, pollMs }: Options) {
  return useQuery({
    queryKey: activitiesKey(userId),
    queryFn: async ({ signal }) => {
      try {
        return await listActividades(signal)
      } catch (error) {
        // Logged only: the specification shows no message, and the last good list stays on screen.
        if (!signal.aborted) logFailure('actividades', error)
        throw error
      }
    },
    enabled,
    refetchInterval: pollMs,
  })
}

/**
 * Reloads the list. A first request that is still running may be older than the change, and React Query starts no
 * other while there is no data: it is awaited first.
 */
export async function readAgain(cache: QueryClient, userId: string): Promise<void> {
  const queryKey = activitiesKey(userId)
  const list = cache.getQueryCache().find({ queryKey })
  if (list?.state.data === undefined) await list?.promise?.catch(() => undefined)
  await cache.invalidateQueries({ queryKey })
}

/** Reloads the list: at once, or once for several changes of the same moment. */
export function useReload(userId: string) {
  const cache = useQueryClient()
  return useMemo(() => {
    const now = () => readAgain(cache, userId)
    return { now, soon: throttled(now, RELOAD_EVERY_MS) }
  }, [cache, userId])
}

/** Looks a plan up as it was last read, whatever is on the screen by now. */
export function useLatest(userId: string): (id: string) => Actividad | undefined {
  const cache = useQueryClient()
  return (id) =>
    cache.getQueryData<Actividad[]>(activitiesKey(userId))?.find((one) => one.id === id)
}

const failed = (what: string, sentence: string) => (error: Error) => {
  logFailure(what, error)
  notify.error(sentence)
}

// The three mutations; each calls the server, notifies, and reloads the list.

/** The call that creates or changes a plan, or a series of them. */
export type Send = () => Promise<void>

export function useCreate(userId: string) {
  const reload = useReload(userId)
  return useMutation({
    mutationFn: (send: Send) => send(),
    onSuccess: () => notify.success(catalogue.created),
    onError: failed('create', catalogue.createFailed),
    onSettled: () => void reload.now(),
  })
}

export function useAnswer(actividad: Actividad, userId: string) {
  const reload = useReload(userId)
  return useMutation({
    mutationFn: (estado: Answer) => answerActividad(actividad, estado, userId),
    onSuccess: (_, estado) =>
      notify.success(estado === 'aceptado' ? catalogue.accepted : catalogue.rejected),
    onError: failed('update', catalogue.updateFailed),
    onSettled: reload.now,
  })
}

/** A refusal shows the server's message, which says what to do. */
const refused = (what: string) => (error: Error) => {
  logFailure(what, error)
  notify.error(serverSentence(error))
}

export function useEdit(userId: string) {
  const reload = useReload(userId)
  return useMutation({
    mutationFn: (send: Send) => send(),
    onSuccess: () => notify.success(editing.saved),
    onError: refused('edit'),
    onSettled: reload.now,
  })
}

export function useOtherDate(userId: string) {
  const reload = useReload(userId)
  return useMutation({
    mutationFn: ({ actividad, ...other }: { actividad: Actividad } & OtherDate) =>
      proposeOtherDate(actividad, other),
    onSuccess: () => notify.success(otherDate.proposed),
    onError: refused('other date'),
    onSettled: reload.now,
  })
}

export function useRecover(userId: string) {
  const reload = useReload(userId)
  return useMutation({
    mutationFn: ([id = '', ...more]: readonly string[]) =>
      more.length === 0
        ? recoverPlan(id)
        : import('./series/series-api.ts').then(({ recoverPlans }) => recoverPlans([id, ...more])),
    onSuccess: () => notify.success(deletion.recovered),
    onError: refused('recover'),
    onSettled: reload.now,
  })
}

type Removal = { actividad: Actividad; scope: DeletionScope }

export function useRemove(userId: string) {
  const reload = useReload(userId)
  const recover = useRecover(userId)
  return useMutation({
    mutationFn: async ({ actividad: { id }, scope }: Removal) => {
      if (scope !== 'esta') return (await import('./series/series-api.ts')).deleteSeries(id, scope)
      await deleteActividad(id)
      return [id]
    },
    onSuccess: (ids, { actividad: { revision } }) => {
      // A server with the specification's schema alone has no trash.
      if (revision === undefined) notify.success(catalogue.deleted)
      else notify.undoable(catalogue.deleted, deletion.undo, () => recover.mutate(ids))
    },
    onError: failed('delete', catalogue.deleteFailed),
    onSettled: reload.now,
  })
}
