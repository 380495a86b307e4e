import { WifiOff } from 'lucide-react'
import { dashboard } from '#lib/messages.ts'
import styles from './strip.module.css'

/** The live region is always there, so that what appears in it is announced. */
export function OfflineStrip({ offline }: { offline: boolean }) {
  return (
    <div role="status" className={styles.status}>
      {offline ? (
        <p className={styles.offline}>
          <WifiOff />
          <span>
            <strong>{dashboard.offline}</strong>. {dashboard.offlineDetail}
          </span>
        </p>
      ) : null}
    </div>
  )
}
