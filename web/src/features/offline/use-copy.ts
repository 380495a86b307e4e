import { useEffect, useState } from 'react'
import type { Actividad, Profile } from '#lib/database.ts'
import { offlineCopy } from './copy.ts'

/** A burst of reloads writes once. */
const CALM_MS = 500
const CALM_MS_EACH = 0.25

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

  // Writing ten thousand activities takes a tenth of a second on a slow phone. So the longer the list, the longer it
  // waits for a press to go first; not beyond the end of the page.
  useEffect(() => {
    if (!profile || !list) return
    const keep = () => {
      leave()
      offlineCopy.keep({ profile, partner: partner ?? null, list })
    }
    const timer = window.setTimeout(keep, CALM_MS + CALM_MS_EACH * list.length)
    const leave = () => {
      window.clearTimeout(timer)
      window.removeEventListener('pagehide', keep)
    }
    window.addEventListener('pagehide', keep)
    return leave
  }, [profile, partner, list])

  const stand = troubled ? copy : null
  return {
    profile: profile ?? stand?.profile,
    partner: partner ?? stand?.partner ?? null,
    list: list ?? stand?.list,
  }
}
