import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { PairingCard } from '#features/pairing/pairing-card.tsx'
import { useCoupleNotice } from '#features/pairing/use-couple-notice.ts'
import { usePairing } from '#features/pairing/use-pairing.ts'
import type { Profile } from '#features/profile/api.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import { settings as words } from '#lib/messages.ts'
import type { DashboardData } from './use-dashboard-data.ts'
import type { SettingsAddress } from './use-settings-address.ts'

// Loaded later: both open at a press.
const settingsChunk = chunk(() => import('./settings.tsx'))
const offerDialog = chunk(() => import('#features/pairing/offer-dialog.tsx'))

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
  usePrefetch(data.all !== undefined, settingsChunk.fetch)
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
      <Dialog open={settings.isOpen} title={words.title} wide onClose={settings.close}>
        <LazyChunk
          of={settingsChunk}
          section={settings.section}
          onClose={settings.close}
          profile={profile}
          list={data.all ?? []}
          nombre={nombre}
          unlinking={pairing.busy === 'unlink'}
          onUnlink={pairing.unlink}
        />
      </Dialog>
      {pairing.offered ? (
        <LazyChunk
          of={offerDialog}
          offer={pairing.offer}
          alone={alone}
          busy={pairing.busy === 'accept'}
          onAccept={pairing.accept}
          onDismiss={pairing.dismiss}
        />
      ) : null}
    </>
  )
}
