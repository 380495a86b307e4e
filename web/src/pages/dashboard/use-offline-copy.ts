import { useEffect, useState } from 'react'
import type { Actividad } from '#features/activities/api.ts'
import type { Profile } from '#features/profile/api.ts'
import { offlineCopy } from './offline-copy.ts'

type Fresh = {
  profile: Profile | undefined
  partner: Profile | null | undefined
  list: Actividad[] | undefined
  /** The network or the server does not answer. */
  troubled: boolean
}

/** Keeps the last good answer on the device, and stands in with it while there is trouble and nothing fresh. */
export function useOfflineCopy(userId: string, fresh: Fresh) {
  const { profile, partner, list, troubled } = fresh
  const [copy] = useState(() => offlineCopy.read(userId))

  useEffect(offlineCopy.open, [])

  // Writing a long list takes a tenth of a second on a slow phone. So it waits until the page is left or out of sight:
  // nobody presses anything then.
  useEffect(() => {
    if (!profile || !list) return
    let kept = false
    const keep = () => {
      if (!kept) offlineCopy.keep({ profile, partner: partner ?? null, list })
      kept = true
    }
    const keepHidden = () => {
      if (document.hidden) keep()
    }
    keepHidden()
    document.addEventListener('visibilitychange', keepHidden)
    window.addEventListener('pagehide', keep)
    return () => {
      document.removeEventListener('visibilitychange', keepHidden)
      window.removeEventListener('pagehide', keep)
    }
  }, [profile, partner, list])

  const stand = troubled ? copy : null
  return {
    profile: profile ?? stand?.profile,
    partner: partner ?? stand?.partner ?? null,
    list: list ?? stand?.list,
  }
}
