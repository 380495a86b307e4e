import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { supabase } from '#lib/supabase.ts'
import { throttled } from '#lib/throttled.ts'

const RELOAD_EVERY_MS = 300

/**
 * The one subscriber of the channel 'planes-extras', which is apart because a table that a server lacks fails the whole
 * channel. An event invalidates the query key of its table. Mount it once.
 */
export function useExtras(userId: string, keys: Readonly<Record<string, QueryKey>>): void {
  const cache = useQueryClient()
  const keysNow = useEffectEvent(() => keys)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another user needs another subscription
  useEffect(() => {
    const channel = supabase.channel('planes-extras')
    const reloads = Object.entries(keysNow()).map(([table, queryKey]) => {
      const reload = throttled(() => cache.invalidateQueries({ queryKey }), RELOAD_EVERY_MS)
      channel.on('postgres_changes', { event: '*', schema: 'public', table }, () => reload())
      return reload
    })
    // Changes before the channel was ready were missed; a renewed token brings another «ok».
    let ready = false
    channel.on('system', {}, ({ status }: { status: string }) => {
      if (status === 'ok' && !ready) for (const reload of reloads) reload()
      ready = status === 'ok'
    })
    channel.subscribe((state) => {
      if (state !== 'SUBSCRIBED') ready = false
    })
    return () => {
      void supabase.removeChannel(channel)
    }
  }, [cache, userId])
}
