import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { logFailure } from '#lib/log.ts'
import { catalogue } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import { throttled } from '#lib/throttled.ts'
import {
  type Actividad,
  type Answer,
  answerActividad,
  createActividad,
  deleteActividad,
  listActividades,
} from './api.ts'

/** A burst of events is read as one: sixty changes are not sixty lists. */
const RELOAD_EVERY_MS = 300

export const activitiesKey = (userId: string) => ['actividades', userId] as const

type Options = {
  /** The first list waits for the live channel, so that no change can fall between the two. */
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

const reloading = (cache: QueryClient, userId: string) => () =>
  cache.invalidateQueries({ queryKey: activitiesKey(userId) })

/** Creating, answering and deleting: the calls, their notifications, and the reload after each. */
export function useActivityChanges(userId: string) {
  const cache = useQueryClient()
  const reload = useMemo(() => reloading(cache, userId), [cache, userId])
  const reloadSoon = useMemo(() => throttled(reload, RELOAD_EVERY_MS), [reload])

  const create = useMutation({
    mutationFn: createActividad,
    onSuccess: () => notify.success(catalogue.created),
    onError: (error) => {
      logFailure('create', error)
      notify.error(catalogue.createFailed)
    },
    onSettled: () => void reload(),
  })

  const answer = useMutation({
    mutationFn: ({ actividad, estado }: { actividad: Actividad; estado: Answer }) =>
      answerActividad(actividad.id, estado, userId),
    onSuccess: (_, { estado }) =>
      notify.success(estado === 'aceptado' ? catalogue.accepted : catalogue.rejected),
    onError: (error) => {
      logFailure('update', error)
      notify.error(catalogue.updateFailed)
    },
    onSettled: reload,
  })

  const remove = useMutation({
    mutationFn: ({ id }: Actividad) => deleteActividad(id),
    onSuccess: () => notify.success(catalogue.deleted),
    onError: (error) => {
      logFailure('delete', error)
      notify.error(catalogue.deleteFailed)
    },
    onSettled: reload,
  })

  return { create, answer, remove, reload, reloadSoon }
}
