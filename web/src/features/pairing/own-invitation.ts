/** The code this person made, kept on the device: making another would invalidate the link already sent. */
import { deviceSlot } from '#lib/stored.ts'
import type { Invitation } from './api.ts'

const slot = deviceSlot('mi-invitacion')

type Kept = Invitation & { userId: string }

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false
  return ['userId', 'codigo', 'caduca_en'].every(
    (name) => typeof Reflect.get(value, name) === 'string',
  )
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

export const ownInvitation = {
  read: (userId: string, now: Date): Invitation | null => {
    const kept = parse(slot.get())
    if (!isKept(kept) || kept.userId !== userId) return null
    return new Date(kept.caduca_en) > now ? kept : null
  },
  keep: (userId: string, { codigo, caduca_en }: Invitation) =>
    slot.set(JSON.stringify({ userId, codigo, caduca_en } satisfies Kept)),
  clear: slot.clear,
}
