import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Conversaciones } from '#lib/database.ts'
import { supabase } from '#lib/supabase.ts'
import { throttled } from '#lib/throttled.ts'
import { summarize } from './conversation-api.ts'
import { saidKey } from './said-key.ts'

type ExtrasProps = { userId: string; onConversations: (said: Conversaciones) => void }

const RELOAD_EVERY_MS = 300

/** On a channel of their own: a table that a server does not know must not silence the activities. */
const TABLES = ['comentarios', 'reacciones'] as const

/** What is said about the plans, kept live. Mount once. */
export default function Extras({ userId, onConversations }: ExtrasProps) {
  const cache = useQueryClient()
  const said = useQuery({
    queryKey: [...saidKey(userId), 'resumen'],
    queryFn: ({ signal }) => summarize(signal),
    retry: 1,
  })

  // Nothing to clean up: what is known stays.
  useEffect(() => {
    if (said.data) onConversations(said.data)
  }, [said.data, onConversations])

  useEffect(() => {
    const reload = throttled(
      () => cache.invalidateQueries({ queryKey: saidKey(userId) }),
      RELOAD_EVERY_MS,
    )
    const channel = supabase.channel('planes-extras')
    for (const table of TABLES)
      channel.on('postgres_changes', { event: '*', schema: 'public', table }, () => reload())
    // What happened before the channel was ready was not heard; a renewed token says «ok» once more.
    let ready = false
    channel.on('system', {}, ({ status }: { status: string }) => {
      if (status === 'ok' && !ready) reload()
      ready = status === 'ok'
    })
    channel.subscribe((state) => {
      if (state !== 'SUBSCRIBED') ready = false
    })
    return () => {
      void supabase.removeChannel(channel)
    }
  }, [cache, userId])

  return null
}
