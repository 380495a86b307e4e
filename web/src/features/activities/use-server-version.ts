import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { whenIdle } from '#hooks/when-idle.ts'
import { deviceSlot } from '#lib/stored.ts'
import { supabase } from '#lib/supabase.ts'

const slot = deviceSlot('version')

/** A server with the specification's schema alone lacks the function. */
const NO_FUNCTION = 'PGRST202'

async function askVersion(signal: AbortSignal): Promise<number> {
  const { data, error, status } = await supabase.rpc('version_del_plan').abortSignal(signal)
  if (error && status !== 404 && error.code !== NO_FUNCTION) throw error
  slot.set(String(data ?? 0))
  return data ?? 0
}

/** Fetched once when the page is idle and stored, so that later loads know it from the first rendering. */
export function useServerVersion(ready: boolean): number {
  const [idle, setIdle] = useState(false)
  useEffect(() => (ready ? whenIdle(() => setIdle(true)) : undefined), [ready])
  const version = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => askVersion(signal),
    enabled: idle,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: 'always',
    retry: 1,
  })
  return version.data ?? Number(slot.get() ?? 0)
}
