import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ActividadRow } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

export type LiveStatus = 'connecting' | 'live' | 'down'
export type ActividadChange = RealtimePostgresChangesPayload<ActividadRow>

type Handlers = {
  onActividad: (change: ActividadChange) => void
  onProfile: () => void
  /** On every (re)connection: what happened before it was not heard. */
  onSubscribed: () => void
}

/** The one subscriber of the channel 'actividades-changes'; mount it once. */
export function useLiveChanges(userId: string, handlers: Handlers): LiveStatus {
  const [status, setStatus] = useState<LiveStatus>('connecting')
  const onActividad = useEffectEvent(handlers.onActividad)
  const onProfile = useEffectEvent(handlers.onProfile)
  const onSubscribed = useEffectEvent(handlers.onSubscribed)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another user needs another subscription
  useEffect(() => {
    let current = true
    const channel = supabase
      .channel('actividades-changes')
      .on<ActividadRow>(
        'postgres_changes',
        { event: '*', schema: 'public', table: 'actividades' },
        (change) => onActividad(change),
      )
      .on('postgres_changes', { event: '*', schema: 'public', table: 'profiles' }, () =>
        onProfile(),
      )
      .subscribe((state) => {
        // A removed channel still reports its closing, after the next one may have opened.
        if (!current) return
        setStatus(state === 'SUBSCRIBED' ? 'live' : 'down')
        if (state === 'SUBSCRIBED') onSubscribed()
      })
    return () => {
      current = false
      void supabase.removeChannel(channel)
    }
  }, [userId])

  return status
}
