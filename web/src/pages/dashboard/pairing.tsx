import { lazy, Suspense, useState } from 'react'
import { PairingCard } from '#features/pairing/pairing-card.tsx'
import { useCoupleNotice } from '#features/pairing/use-couple-notice.ts'
import { usePairing } from '#features/pairing/use-pairing.ts'
import type { Profile } from '#features/profile/api.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import type { DashboardData } from './use-dashboard-data.ts'
import type { SettingsAddress } from './use-settings-address.ts'

// Neither is seen first: both answer a press.
const loadSettings = () => import('./settings-dialog.tsx')
const SettingsDialog = lazy(loadSettings)
const OfferDialog = lazy(() => import('#features/pairing/offer-dialog.tsx'))

type PairingProps = {
  profile: Profile
  data: DashboardData
  settings: SettingsAddress
}

/** The invitation while there is no partner, the settings, and what an invitation offers. */
export function Pairing({ profile, data, settings }: PairingProps) {
  const paired = profile.pareja_id !== null
  const nombre = paired ? (data.partner?.nombre ?? null) : null
  const pairing = usePairing({ userId: profile.id, paired, onChanged: data.reloadAll })
  useCoupleNotice({ parejaId: profile.pareja_id, nombre, list: data.all })
  usePrefetch(data.all !== undefined, loadSettings)
  // Once here it stays, so that its closing is seen.
  const [everOpened, setEverOpened] = useState(false)
  if (settings.isOpen && !everOpened) setEverOpened(true)
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
      <Suspense>
        {settings.isOpen || everOpened ? (
          <SettingsDialog
            open={settings.isOpen}
            section={settings.section}
            onClose={settings.close}
            userId={profile.id}
            parejaId={profile.pareja_id}
            nombre={nombre}
            unlinking={pairing.busy === 'unlink'}
            onUnlink={pairing.unlink}
          />
        ) : null}
      </Suspense>
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
