/** The one client of the backend: the stock one, with a time limit for its requests. */
import { createClient } from '@supabase/supabase-js'
import { readConfiguration } from './configuration.ts'
import type { Database } from './database.ts'

// A built bundle never reads the build machine's environment: keys are not baked in.
export const configuration = readConfiguration(
  document,
  import.meta.env.PROD ? {} : import.meta.env,
)

/** The timeout of every request. */
const TIME_LIMIT_MS = 15_000

const limitedFetch: typeof fetch = (input, init) => {
  const limit = AbortSignal.timeout(TIME_LIMIT_MS)
  const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
  return fetch(input, { ...init, signal })
}

export const supabase = createClient<Database>(configuration.url, configuration.key, {
  global: { fetch: limitedFetch },
  // React Query retries; two retry policies would multiply.
  db: { retry: false },
})

/** Whether this device has a session, be it one that cannot be renewed just now. */
export function hasStoredSession(): boolean {
  try {
    return Object.keys(window.localStorage).some((key) => /^sb-.*-auth-token$/.test(key))
  } catch {
    return false
  }
}
