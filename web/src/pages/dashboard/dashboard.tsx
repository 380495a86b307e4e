import { useMemo, useState } from 'react'
import { Button } from '#components/button.tsx'
import { chunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { People } from '#components/people.tsx'
import { ReadOnly } from '#components/read-only.tsx'
import { BROUGHT, ServerVersion } from '#components/server-version.tsx'
import { Conversations } from '#features/activities/conversation/conversations.tsx'
import { useServerVersion } from '#features/activities/use-server-version.ts'
import { useAuth } from '#features/auth/auth-context.tsx'
import type { SpecialDay } from '#features/special/special-days.ts'
import { SpecialDays } from '#features/special/special-days-context.tsx'
import { useDelayed } from '#hooks/use-delayed.ts'
import type { Conversaciones } from '#lib/database.ts'
import { dashboard } from '#lib/messages.ts'
import { peopleOf } from '#lib/people.ts'
import { Planner } from './planner.tsx'
import { useDashboardData } from './use-dashboard-data.ts'

const extras = chunk(() => import('./extras.tsx'))

/** After this long without a profile a sign-out button is offered. */
const STUCK_AFTER_MS = 10_000

export function Dashboard({ userId }: { userId: string }) {
  const { signOut } = useAuth()
  const data = useDashboardData(userId)
  const { profile, partner } = data
  const version = useServerVersion(data.all !== undefined)
  const [special, setSpecial] = useState<readonly SpecialDay[]>([])
  const [said, setSaid] = useState<Conversaciones>({})
  const stuck = useDelayed(!profile, STUCK_AFTER_MS)
  const people = useMemo(() => (profile ? peopleOf(profile, partner) : []), [profile, partner])

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
      <ServerVersion value={version}>
        <People value={people}>
          <Conversations value={said}>
            <SpecialDays value={special}>
              <Planner profile={profile} people={people} data={data} onSignOut={signOut} />
            </SpecialDays>
          </Conversations>
          {version >= BROUGHT.ideas ? (
            <QuietLazyChunk
              of={extras}
              userId={userId}
              parejaId={profile.pareja_id}
              onConversations={setSaid}
              onSpecialDays={setSpecial}
            />
          ) : null}
        </People>
      </ServerVersion>
    </ReadOnly>
  )
}
