import type { ReactNode } from 'react'
import { AlertSwitch } from '#features/alerts/alert-switch.tsx'
import { OfferDialog } from '#features/pairing/offer-dialog.tsx'
import { PairingCard } from '#features/pairing/pairing-card.tsx'
import { PartnerLine } from '#features/pairing/partner-line.tsx'
import { useCoupleNotice } from '#features/pairing/use-couple-notice.ts'
import { usePairing } from '#features/pairing/use-pairing.ts'
import type { Profile } from '#features/profile/api.ts'
import { CalendarSubscription } from '#features/subscription/calendar-subscription.tsx'
import { dashboard } from '#lib/messages.ts'
import styles from './dashboard.module.css'

type PairingProps = {
  profile: Profile
  partner: Profile | null
  onChanged: () => void
  /** The planner: the invitation stands before it, what concerns the two of them after. */
  children: ReactNode
}

export function Pairing({ profile, partner, onChanged, children }: PairingProps) {
  const paired = profile.pareja_id !== null
  const nombre = paired ? (partner?.nombre ?? null) : null
  const pairing = usePairing({ userId: profile.id, paired, onChanged })
  useCoupleNotice(profile.pareja_id, nombre)
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
      <section className={styles.settings} aria-label={dashboard.settings}>
        {paired ? (
          <PartnerLine nombre={nombre} busy={pairing.busy === 'unlink'} onUnlink={pairing.unlink} />
        ) : null}
        <AlertSwitch />
        {paired ? <CalendarSubscription key={profile.pareja_id} /> : null}
      </section>
      <OfferDialog
        offer={pairing.offer}
        busy={pairing.busy === 'accept'}
        onAccept={pairing.accept}
        onDismiss={pairing.dismiss}
      />
    </>
  )
}
