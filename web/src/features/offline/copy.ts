/** The last successful response, stored on the device for reading offline. */
import type { Actividad, Profile } from '#lib/database.ts'
import { deviceSlot } from '#lib/stored.ts'

type OfflineCopy = {
  profile: Profile
  partner: Profile | null
  list: Actividad[]
}

const slot = deviceSlot('copia')

function parse(): OfflineCopy | null {
  try {
    // We wrote it ourselves; the checks below refuse a copy of an older shape.
    return JSON.parse(slot.get() ?? 'null') as OfflineCopy | null
  } catch {
    return null
  }
}

/** False between a sign-out and the next dashboard: a delayed write must not restore what was cleared. */
let writable = true

export const offlineCopy = {
  /** Allows writes again, once a dashboard is shown. */
  open: (): void => {
    writable = true
  },
  /** The copy, if it is this person's. */
  read: (userId: string): OfflineCopy | null => {
    const copy = parse()
    return copy?.profile?.id === userId && Array.isArray(copy.list) ? copy : null
  },
  keep: (copy: OfflineCopy): void => {
    if (writable) slot.set(JSON.stringify(copy))
  },
  /** Whose copy this device has. */
  owner: (): string | null => parse()?.profile?.id ?? null,
  clear: (): void => {
    writable = false
    slot.clear()
  },
}
