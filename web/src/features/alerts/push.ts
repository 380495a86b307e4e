/** Web Push: this device's subscription, and the calls on devices. */
import type { Dispositivo, Recordatorios } from '#lib/database.ts'
import { deviceId, forgetDevice, SIGNED_IN_CACHE } from '#lib/device.ts'
import { supabase } from '#lib/supabase.ts'

export type { Dispositivo, Recordatorios }

export type Changes = Partial<
  Pick<Dispositivo, 'eventos' | 'ver_titulo' | 'silencio_desde' | 'silencio_hasta'>
>

const serverKey = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="push-key"]')?.content ?? ''

/** The service worker's registration; null if the browser, the page or the server does not support push. */
export async function findWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!serverKey() || !('PushManager' in window) || !navigator.serviceWorker) return null
  const registration = await navigator.serviceWorker.getRegistration().catch(() => undefined)
  return registration?.active && 'pushManager' in registration ? registration : null
}

/** Whether this is a tab on an iPhone or iPad, where only apps on the home screen have push. */
export const needsInstalling = (): boolean =>
  /iPhone|iPad/.test(navigator.userAgent) && !matchMedia('(display-mode: standalone)').matches

const BROWSERS = ['Edg', 'Firefox', 'OPR', 'Chrome', 'Safari'] as const
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const
const SPOKEN: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS': 'Mac' }

/** «Chrome, Android»: enough to know one's own devices by. */
export function nameOf(userAgent: string): string {
  const found = [BROWSERS, SYSTEMS].flatMap(
    (names) => names.find((name) => userAgent.includes(name)) ?? [],
  )
  return found.map((name) => SPOKEN[name] ?? name).join(', ') || 'Navegador'
}

/** Asks the browser, then tells the server. False where the person or the browser says no. */
export async function turnOn(registration: ServiceWorkerRegistration): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: serverKey(),
  })
  const { endpoint = '', keys = {} } = subscription.toJSON()
  const { data, error } = await supabase.rpc('registrar_dispositivo', {
    endpoint,
    p256dh: keys.p256dh ?? '',
    auth: keys.auth ?? '',
    nombre: nameOf(navigator.userAgent),
    zona: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  if (error) throw error
  deviceId.set(data.id)
  await caches.open(SIGNED_IN_CACHE)
  return true
}

/** Takes the device off the server's list, then ends its subscription. */
export async function turnOff(): Promise<void> {
  const id = deviceId.get()
  forgetDevice()
  if (id !== null) await removeDevice(id)
  const registration = await findWorker()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

export async function listDevices(signal: AbortSignal): Promise<Dispositivo[]> {
  const { data, error } = await supabase.rpc('mis_dispositivos').abortSignal(signal)
  if (error) throw error
  return data
}

export async function changeDevice(id: string, cambios: Changes): Promise<void> {
  const { error } = await supabase.rpc('ajustar_dispositivo', { id, cambios })
  if (error) throw error
}

export async function removeDevice(id: string): Promise<void> {
  const { error } = await supabase.rpc('quitar_dispositivo', { id })
  if (error) throw error
}

export async function tryDevice(id: string): Promise<void> {
  const { error } = await supabase.rpc('probar_dispositivo', { id })
  if (error) throw error
}

export async function readReminders(signal: AbortSignal): Promise<Recordatorios> {
  const { data, error } = await supabase.rpc('mis_recordatorios').abortSignal(signal)
  if (error) throw error
  return data
}

export async function changeReminders(
  cambios: Partial<Recordatorios> & { zona?: string },
): Promise<void> {
  const { error } = await supabase.rpc('ajustar_recordatorios', { cambios })
  if (error) throw error
}
