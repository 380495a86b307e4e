import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useDelayed } from '#components/use-delayed.ts'
import { useOnline } from '#components/use-online.ts'
import { usePassingSet } from '#components/use-passing-set.ts'
import { partnerNews } from '#features/activities/partner-change.ts'
import { useActivityChanges, useActivityList } from '#features/activities/use-activities.ts'
import { type ActividadChange, useLiveChanges } from '#features/live/use-live-changes.ts'
import { profileKey, usePartner, useProfile } from '#features/profile/use-profile.ts'
import { catalogue } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

/** How long the first list waits for the live channel, at most. */
const CHANNEL_GRACE_MS = 500
/** A dropped channel mostly comes back within this; only then is it worth a word. */
const OFFLINE_AFTER_MS = 2500
const POLL_MS = 30_000
const NEWS_STAY_MS = 6000

/** Everything the dashboard shows of the server, kept live. Mount once: it holds the one channel. */
export function useDashboardData(userId: string) {
  const cache = useQueryClient()
  const profile = useProfile(userId)
  const partner = usePartner(profile.data)
  const changes = useActivityChanges(userId)
  const [subscribed, setSubscribed] = useState(false)
  const [news, addNews] = usePassingSet(NEWS_STAY_MS)

  const reloadAll = () => {
    void cache.invalidateQueries({ queryKey: profileKey(userId) })
    void changes.reload()
  }

  const hear = (change: ActividadChange) => {
    const heard = partnerNews(change, {
      userId,
      ownEcho: changes.ownEcho,
      known: (id) => list.data?.find((actividad) => actividad.id === id),
      now: Date.now(),
    })
    if (heard) addNews(heard.id)
    if (heard?.kind === 'updated') notify.info(catalogue.partnerUpdated)
    void changes.reload()
  }

  const live = useLiveChanges(userId, {
    onActividad: hear,
    onProfile: reloadAll,
    onSubscribed: () => (started ? reloadAll() : setSubscribed(true)),
  })

  const graceOver = useDelayed(!subscribed, CHANNEL_GRACE_MS)
  const started = subscribed || graceOver
  const list = useActivityList(userId, {
    enabled: started,
    pollMs: live === 'down' ? POLL_MS : false,
  })
  const lost = useDelayed(live === 'down', OFFLINE_AFTER_MS)
  const online = useOnline()

  return { profile, partner, list, changes, news, reloadAll, offline: !online || lost, online }
}
