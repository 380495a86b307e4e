import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js'
import { useEffect, useEffectEvent, useState } from 'react'
import type { ActividadRow } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'

type LiveStatus = 'connecting' | 'live' | 'down'
export type ActividadChange = RealtimePostgresChangesPayload<ActividadRow>

type Handlers = {
  onActividad: (change: ActividadChange) => void
  onProfile: () => void
  /** Called at every (re)connection: changes before it were missed. */
  onSubscribed: () => void
}

/**
 * SUBSCRIBED reports the join alone; changes arrive from the server's system message on, and a list
 * requested at SUBSCRIBED would miss those in between. A server that never sends that message is
 * waited for this long. Only the first system message of a join counts: each renewed token brings
 * another one, and on a device whose clock is fast every request renews it.
 */
const SYSTEM_TIMEOUT_MS = 2000

/** The one subscriber of the channel 'actividades-changes'; mount it once. */
export function useLiveChanges(userId: string, handlers: Handlers): LiveStatus {
  const [status, setStatus] = useState<LiveStatus>('connecting')
  const onActividad = useEffectEvent(handlers.onActividad)
  const onProfile = useEffectEvent(handlers.onProfile)
  const onSubscribed = useEffectEvent(handlers.onSubscribed)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another user needs another subscription
  useEffect(() => {
    let current = true
    let joined = false
    let waiting: ReturnType<typeof setTimeout> | undefined
    const live = () => {
      clearTimeout(waiting)
      if (!current || !joined) return
      joined = false
      setStatus('live')
      onSubscribed()
    }
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
      .on('system', {}, ({ extension, status }: { extension: string; status: string }) => {
        if (extension === 'postgres_changes' && status === 'ok') live()
      })
      .subscribe((state) => {
        clearTimeout(waiting)
        // A removed channel still reports its closing, after the next one may have opened.
        if (!current) return
        joined = state === 'SUBSCRIBED'
        if (joined) waiting = setTimeout(live, SYSTEM_TIMEOUT_MS)
        else setStatus('down')
      })
    return () => {
      current = false
      clearTimeout(waiting)
      void supabase.removeChannel(channel)
    }
  }, [userId])

  return status
}
