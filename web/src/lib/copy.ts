/** Copies a text to the clipboard and notifies; without one (no secure context) it shows the text to copy by hand. */
import { clipboard } from './messages.ts'
import { notify } from './notify.ts'

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify.success(clipboard.copied)
  } catch {
    notify.info(clipboard.byHand(text))
  }
}
