/** What this device keeps about its alerts; the service worker reads the second half of it. */
import { deviceSlot } from './stored.ts'

/** The id of this device's push subscription on the server. */
export const deviceId = deviceSlot('dispositivo')

/** A cache of this name exists while a user with alerts here is signed in: service workers have no localStorage. */
export const SIGNED_IN_CACHE = 'avisos'

export function forgetDevice(): void {
  if (deviceId.get() === null) return
  deviceId.clear()
  void globalThis.caches?.delete(SIGNED_IN_CACHE)
}
