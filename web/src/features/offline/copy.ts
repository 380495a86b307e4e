/** The last good answer, kept on the device so that it can be read without a network. */
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
    // Our own writing: a copy of another shape is told apart by what the readers below look at.
    return JSON.parse(slot.get() ?? 'null') as OfflineCopy | null
  } catch {
    return null
  }
}

/** False from a sign-out to the next dashboard: a writing that waits must not bring back what was cleared. */
let writable = true

export const offlineCopy = {
  /** A dashboard is shown: what it reads may be kept from now on. */
  open: (): void => {
    writable = true
  },
  /** Only for whom it was made: another person's copy is no copy. */
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
