/** Notifications of the operating system while the tab is not in view. Asked for by a switch, never on load. */
import { deviceId } from '#lib/device.ts'
import { deviceSlot } from '#lib/stored.ts'

const wanted = deviceSlot('avisos')
const TAG = 'planes'

const supported = (): boolean => 'Notification' in window

type AlertState = 'on' | 'off' | 'blocked' | 'unsupported'

function state(): AlertState {
  if (!supported()) return 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return wanted.get() === '1' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** By the service worker where there is one: phones allow nothing else. */
async function raise(text: string): Promise<void> {
  const options = { tag: TAG, icon: '/icon-192.png' }
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  if (worker?.active) return worker.showNotification(text, options)
  const shown = new Notification(text, options)
  shown.onclick = () => {
    window.focus()
    shown.close()
  }
}

export const systemAlerts = {
  state,
  turnOn: async (): Promise<AlertState> => {
    const answer = await Notification.requestPermission()
    if (answer === 'granted') wanted.set('1')
    return state()
  },
  turnOff: (): AlertState => {
    wanted.clear()
    return state()
  },
  /** Shows the toast's own text, only while nobody is looking at the tab. */
  show: (text: string): void => {
    // With push, the service worker shows the same notification.
    const isPushed = deviceId.get() !== null
    if (!isPushed && document.visibilityState === 'hidden' && state() === 'on') void raise(text)
  },
  forget: wanted.clear,
}
