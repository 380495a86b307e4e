import { queryOptions, useQuery } from '@tanstack/react-query'
import { logFailure } from '#lib/log.ts'
import { serverCache } from '#lib/server-cache.ts'
import { loadPartner, loadProfile, type Profile } from './api.ts'

/** Both query keys share a prefix, so that one invalidation reloads profile and partner. */
export const profileKey = (userId: string) => ['profile', userId] as const

const backoff = (attempt: number) => Math.min(1000 * 2 ** attempt, 30_000)

/** A failure is logged and tried again: the specification shows no message for it. */
async function logged<T>(what: string, signal: AbortSignal, load: Promise<T>): Promise<T> {
  try {
    return await load
  } catch (error) {
    if (!signal.aborted) logFailure(what, error)
    throw error
  }
}

const profileQuery = (userId: string) =>
  queryOptions({
    queryKey: [...profileKey(userId), 'own'],
    queryFn: ({ signal }) => logged('profile', signal, loadProfile(userId, signal)),
    retry: true,
    retryDelay: backoff,
    // Rendering must not repeat the request that `prefetch` started.
    refetchOnMount: false,
  })

export const useProfile = (userId: string) => useQuery(profileQuery(userId))

/** Starts the request before the first rendering. */
export const askForProfile = (userId: string): Promise<void> =>
  serverCache.prefetchQuery(profileQuery(userId))

export function usePartner(own: Profile | undefined) {
  return useQuery({
    queryKey: [...profileKey(own?.id ?? ''), 'partner', own?.pareja_id ?? null],
    queryFn: ({ signal }) =>
      logged('partner', signal, own ? loadPartner(own, signal) : Promise.resolve(null)),
    enabled: Boolean(own?.pareja_id),
    retryDelay: backoff,
  })
}
