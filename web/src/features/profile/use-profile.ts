import { queryOptions, useQuery } from '@tanstack/react-query'
import { logFailure } from '#lib/log.ts'
import { serverCache } from '#lib/server-cache.ts'
import { loadPartner, loadProfile, type Profile } from './api.ts'

/** Both keys start alike, so that one invalidation reloads the profile and the partner. */
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
    // The screen does not ask again for what was asked for while it was being made.
    refetchOnMount: false,
  })

export const useProfile = (userId: string) => useQuery(profileQuery(userId))

/** Asks before there is any screen. */
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
