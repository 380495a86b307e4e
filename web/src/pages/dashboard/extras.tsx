import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { commentsKey } from '#features/activities/conversation/comments-key.ts'
import { summarize } from '#features/activities/conversation/conversation-api.ts'
import { costsKey } from '#features/costs/api.ts'
import { ideasKey } from '#features/ideas/api.ts'
import { useExtras } from '#features/live/use-extras.ts'
import { photosKey } from '#features/photos/photos-key.ts'
import { listSpecialDays, specialKey } from '#features/special/api.ts'
import type { SpecialDay } from '#features/special/special-days.ts'
import type { Conversaciones } from '#lib/database.ts'
import { notify } from '#lib/notify.ts'
import { photosWaiting } from '#lib/stored.ts'

type ExtrasProps = {
  userId: string
  /** Without a partner there are no special days. */
  parejaId: string | null
  onConversations: (said: Conversaciones) => void
  onSpecialDays: (days: readonly SpecialDay[]) => void
}

const none: readonly SpecialDay[] = []

/** Loads what the specification does not have, and keeps it live. Mount once. */
export default function Extras(props: ExtrasProps) {
  const { userId, parejaId, onConversations, onSpecialDays } = props
  const said = useQuery({
    queryKey: [...commentsKey(userId), 'resumen'],
    queryFn: ({ signal }) => summarize(signal),
    retry: 1,
  })
  const special = useQuery({
    queryKey: [...specialKey(userId), parejaId],
    queryFn: ({ signal }) => listSpecialDays(signal),
    enabled: parejaId !== null,
    retry: 1,
  })
  useExtras(userId, {
    comentarios: commentsKey(userId),
    reacciones: commentsKey(userId),
    fechas_especiales: specialKey(userId),
    ideas: ideasKey(userId),
    apetencias: ideasKey(userId),
    pagos: costsKey(userId),
    liquidaciones: costsKey(userId),
    recuerdos: photosKey(userId),
  })

  // Uploads that an earlier page did not finish.
  const cache = useQueryClient()
  useEffect(() => {
    if (photosWaiting.get() === null) return
    const reload = () => cache.invalidateQueries({ queryKey: photosKey(userId) })
    void import('#features/photos/uploads.ts').then(({ resume }) => resume(userId, reload))
  }, [userId, cache])

  // Nothing to clean up, here and below: the cache stays.
  useEffect(() => {
    if (said.data) onConversations(said.data)
  }, [said.data, onConversations])

  // Messages of the service worker while this page is visible.
  useEffect(() => {
    const hear = ({ data }: MessageEvent<{ alert?: unknown } | null>) => {
      if (typeof data?.alert === 'string') notify.info(data.alert)
    }
    navigator.serviceWorker?.addEventListener('message', hear)
    return () => navigator.serviceWorker?.removeEventListener('message', hear)
  }, [])

  const days = parejaId === null ? none : special.data
  useEffect(() => {
    if (days) onSpecialDays(days)
  }, [days, onSpecialDays])

  return null
}
