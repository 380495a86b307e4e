import { lazy, type ReactNode, Suspense } from 'react'
import { PairingCard } from '#features/pairing/pairing-card.tsx'
import { useCoupleNotice } from '#features/pairing/use-couple-notice.ts'
import { usePairing } from '#features/pairing/use-pairing.ts'
import type { Profile } from '#features/profile/api.ts'
import { dashboard } from '#lib/messages.ts'
import styles from './dashboard.module.css'
import type { DashboardData } from './use-dashboard-data.ts'

// Neither is seen first: one is at the foot, the other an answer to a code.
const CoupleSettings = lazy(() => import('./couple-settings.tsx'))
const OfferDialog = lazy(() => import('#features/pairing/offer-dialog.tsx'))

type PairingProps = {
  profile: Profile
  data: DashboardData
  /** The planner: the invitation stands before it, what concerns the two of them after. */
  children: ReactNode
}

export function Pairing({ profile, data, children }: PairingProps) {
  const paired = profile.pareja_id !== null
  const nombre = paired ? (data.partner?.nombre ?? null) : null
  const pairing = usePairing({ userId: profile.id, paired, onChanged: data.reloadAll })
  useCoupleNotice({ parejaId: profile.pareja_id, nombre, list: data.all })
  const alone = {
    proposed: Boolean(data.common?.some(({ creador_id }) => creador_id === profile.id)),
    before: data.before.length > 0,
  }
  return (
    <>
      {paired ? null : (
        <PairingCard
          invitation={pairing.invitation}
          busy={pairing.busy}
          onCreate={() => void pairing.create()}
          onLook={(codigo) => void pairing.look(codigo)}
        />
      )}
      {children}
      <section className={`no-print ${styles.settings}`} aria-label={dashboard.settings}>
        <Suspense>
          <CoupleSettings
            parejaId={profile.pareja_id}
            nombre={nombre}
            unlinking={pairing.busy === 'unlink'}
            onUnlink={pairing.unlink}
          />
        </Suspense>
      </section>
      <Suspense>
        {pairing.offered ? (
          <OfferDialog
            offer={pairing.offer}
            alone={alone}
            busy={pairing.busy === 'accept'}
            onAccept={pairing.accept}
            onDismiss={pairing.dismiss}
          />
        ) : null}
      </Suspense>
    </>
  )
}
