import { useEffect, useState } from 'react'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { alerts as text } from '#lib/messages-later.ts'
import styles from './alert-switch.module.css'
import { AlertSwitch } from './alert-switch.tsx'
import { findWorker, needsInstalling } from './push.ts'

const devices = chunk(() => import('./devices.tsx'))
const reminders = chunk(() => import('./reminders.tsx'))

/** Push alerts, or without push the alerts that work while the app is open; and reminders by mail. */
export function AlertSettings({ userId }: { userId: string }) {
  const has = useServerHas('push')
  const byMail = useServerHas('mail')
  const [worker, setWorker] = useState<ServiceWorkerRegistration | null | undefined>(undefined)

  useEffect(() => {
    let current = true
    void findWorker().then((found) => current && setWorker(found))
    return () => {
      current = false
    }
  }, [])

  if (worker === undefined) return null
  const own = byMail ? <LazyChunk of={reminders} /> : null
  if (worker && has)
    return (
      <>
        <LazyChunk of={devices} worker={worker} userId={userId} />
        {own}
      </>
    )
  return (
    <>
      {has && needsInstalling() ? <p className={styles.detail}>{text.install}</p> : null}
      <AlertSwitch />
      {own}
    </>
  )
}
