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
  /** Whether the network or the server does not answer. */
  troubled: boolean
}

/** Stores the last successful response, and returns it while the server is unreachable and nothing newer is there. */
export function useOfflineCopy(userId: string, fresh: Fresh) {
  const { profile, partner, list, troubled } = fresh
  const [copy] = useState(() => offlineCopy.read(userId))

  useEffect(offlineCopy.open, [])

  // Writing ten thousand activities takes a tenth of a second on a slow phone. So the longer the list, the longer the
  // write waits, in case a press comes first; a page that is closed writes at once.
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
