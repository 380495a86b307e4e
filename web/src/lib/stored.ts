/** Web storage that may be forbidden or full: reading then gives null, and a failed write removes the value. */

function attempt<T>(action: () => T): T | null {
  try {
    return action()
  } catch {
    return null
  }
}

export type Stored = {
  get: () => string | null
  set: (value: string) => void
  clear: () => void
}

export function slotIn(storage: () => Storage, key: string): Stored {
  return {
    get: () => attempt(() => storage().getItem(key)),
    // The old value is out of date: a former partner's data must not stay on a full device.
    set: (value) => {
      attempt(() => storage().removeItem(key))
      attempt(() => storage().setItem(key, value))
    },
    clear: () => void attempt(() => storage().removeItem(key)),
  }
}

/** A value of this tab: gone when the tab closes. */
export const tabSlot = (key: string) => slotIn(() => window.sessionStorage, `planes.${key}`)

/** A value of this device: stays until somebody clears it. */
export const deviceSlot = (key: string) => slotIn(() => window.localStorage, `planes.${key}`)

/** The invitation code that a link brought, kept across sign-up and sign-in. */
export const invitationSlot = tabSlot('invitacion')

/** Set between the deletion of an account and the page that says so. */
export const farewellSlot = tabSlot('despedida')

/** Set while this tab's session came from a recovery link and no new password is stored yet. */
export const recoverySlot = tabSlot('recuperacion')

/** How many photos this device still has to send. */
export const photosWaiting = deviceSlot('fotos')
