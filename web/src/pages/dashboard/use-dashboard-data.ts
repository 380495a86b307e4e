import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Actividad } from '#features/activities/api.ts'
import { partsOf } from '#features/activities/common.ts'
import { partnerNews } from '#features/activities/conversation/partner-change.ts'
import { useActivityList, useReload } from '#features/activities/use-activities.ts'
import { systemAlerts } from '#features/alerts/system-alerts.ts'
import { askForSession } from '#features/auth/watch-session.ts'
import { type ActividadChange, useLiveChanges } from '#features/live/use-live-changes.ts'
import { useOfflineCopy } from '#features/offline/use-copy.ts'
import { profileKey, usePartner, useProfile } from '#features/profile/use-profile.ts'
import { useDelayed } from '#hooks/use-delayed.ts'
import { useOnline } from '#hooks/use-online.ts'
import { usePassingSet } from '#hooks/use-passing-set.ts'
import { catalogue } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

/** How long the first list waits for the live channel, at most. */
const CHANNEL_GRACE_MS = 500
/** A dropped channel mostly returns within this (ms); only after it a message is shown. */
const OFFLINE_AFTER_MS = 2500
const POLL_MS = 30_000
/** After this long (ms) the copy of the last response is shown, if there is one. */
const LATE_MS = 1500
const NEWS_STAY_MS = 6000

const nothing: readonly Actividad[] = []

export type DashboardData = ReturnType<typeof useDashboardData>

const tell = (sentence: string) => {
  notify.info(sentence)
  systemAlerts.show(sentence)
}

/** Everything the dashboard shows of the server, kept live. Mount once: it holds the one channel. */
export function useDashboardData(userId: string) {
  const cache = useQueryClient()
  const profile = useProfile(userId)
  const partner = usePartner(profile.data)
  const reload = useReload(userId)
  const [subscribed, setSubscribed] = useState(false)
  const [news, addNews] = usePassingSet(NEWS_STAY_MS)
  const [deleted] = useState(() => new Set<string | undefined>())
  const online = useOnline()

  const reloadAll = () => {
    void cache.invalidateQueries({ queryKey: profileKey(userId) })
    void reload.now()
  }

  const hear = (change: ActividadChange) => {
    const known = list.data
    if (change.eventType === 'DELETE') deleted.add(change.old.id)
    const received = partnerNews(change, { userId, list: known })
    if (received) addNews(received.id)
    if (received?.kind === 'updated') tell(catalogue.partnerUpdated)
    // Actions without a message in the specification; without a partner there are none.
    const { data: other } = partner
    if (other)
      void import('#features/activities/conversation/partner-actions.ts').then(
        ({ gather, partnerActionOf }) =>
          gather(partnerActionOf(change, userId, known), other.nombre, tell),
      )
    reload.soon()
  }

  const live = useLiveChanges(userId, {
    onActividad: hear,
    onProfile: reloadAll,
    onSubscribed: () => (started ? reloadAll() : setSubscribed(true)),
  })

  const graceOver = useDelayed(!subscribed, CHANNEL_GRACE_MS)
  const started = subscribed || graceOver
  const pollMs = live === 'down' ? POLL_MS : false
  const list = useActivityList(userId, { enabled: started, pollMs })
  const lost = useDelayed(live === 'down', OFFLINE_AFTER_MS)
  // The channel of a session that was ended elsewhere is closed: that is not a lost connection.
  useEffect(() => {
    if (lost) void askForSession()
  }, [lost])

  const late = useDelayed(!profile.data || !list.data, LATE_MS)

  const shown = useOfflineCopy(userId, {
    profile: profile.data,
    partner: partner.data,
    list: list.data,
    troubled: !online || late || profile.failureCount > 0 || list.failureCount > 0,
  })
  const { profile: self, partner: other, list: all } = shown
  const parts = useMemo(() => (all && self ? partsOf(all, self) : null), [all, self])
  return {
    profile: self,
    partner: other,
    all,
    common: parts?.common,
    before: parts?.before ?? nothing,
    news,
    /** Ids whose deletion was received: a plan may also disappear because the pairing ended. */
    deleted,
    reloadAll,
    offline: !online || lost,
    online,
  }
}
