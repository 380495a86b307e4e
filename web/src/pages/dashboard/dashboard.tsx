import { useMemo } from 'react'
import { Button } from '#components/button.tsx'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { Page } from '#components/page.tsx'
import { ReadOnly } from '#components/read-only.tsx'
import { LIST_TITLE_ID } from '#features/activities/activity-actions.ts'
import { waitingCount, waitingMonths } from '#features/activities/waiting.ts'
import { useAuth } from '#features/auth/auth-context.tsx'
import { OfflineStrip } from '#features/offline/strip.tsx'
import { useDelayed } from '#hooks/use-delayed.ts'
import { dashboard } from '#lib/messages.ts'
import styles from './dashboard.module.css'
import { DashboardHeader } from './dashboard-header.tsx'
import { Pairing } from './pairing.tsx'
import { Planner } from './planner.tsx'
import { Summary } from './summary.tsx'
import { useDashboardData } from './use-dashboard-data.ts'

/** After this long without a profile nobody should be locked in. */
const PATIENCE_MS = 10_000

export function Dashboard({ userId }: { userId: string }) {
  const { signOut } = useAuth()
  const data = useDashboardData(userId)
  const { profile, common } = data
  const stuck = useDelayed(!profile, PATIENCE_MS)
  const waiting = useMemo(() => waitingMonths(common ?? [], userId), [common, userId])
  const count = waitingCount(waiting)

  if (!profile)
    return (
      <LoadingScreen>
        {stuck ? (
          <Button variant="quiet" onClick={() => void signOut()}>
            {dashboard.signOut}
          </Button>
        ) : null}
      </LoadingScreen>
    )

  return (
    <ReadOnly value={data.online ? null : dashboard.offlineReadOnly}>
      <div className={styles.frame}>
        <a className={`no-print ${styles.skip}`} href={`#${LIST_TITLE_ID}`}>
          {dashboard.skip}
        </a>
        <DashboardHeader nombre={profile.nombre} onSignOut={signOut} />
        <OfflineStrip offline={data.offline} />
        <Page
          title={count > 0 ? `(${count}) ${dashboard.title}` : dashboard.title}
          className={styles.page}
        >
          <Summary list={common} />
          <Pairing profile={profile} data={data}>
            <Planner profile={profile} data={data} waiting={waiting} />
          </Pairing>
        </Page>
      </div>
    </ReadOnly>
  )
}
