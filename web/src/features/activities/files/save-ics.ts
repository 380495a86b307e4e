import { logFailure } from '#lib/log.ts'
import { product } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import type { Actividad } from '../api.ts'

/** Gives a calendar file of these plans; the code that writes it is loaded at the first use. */
export async function saveIcs(list: readonly Actividad[], name: string): Promise<void> {
  try {
    const { downloadIcs } = await import('./ics.ts')
    downloadIcs(list, name)
  } catch (error) {
    logFailure('ics', error)
    notify.error(product.notLoaded)
  }
}
