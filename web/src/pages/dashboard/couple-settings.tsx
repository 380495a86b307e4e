import { AlertSwitch } from '#features/alerts/alert-switch.tsx'
import { PartnerLine } from '#features/pairing/partner-line.tsx'
import { CalendarSubscription } from '#features/subscription/calendar-subscription.tsx'

type CoupleSettingsProps = {
  parejaId: string | null
  nombre: string | null
  unlinking: boolean
  onUnlink: () => Promise<boolean>
}

/** The page's foot: whom the calendar is shared with, alerts, the address to subscribe to. */
export default function CoupleSettings(props: CoupleSettingsProps) {
  const { parejaId, nombre, unlinking, onUnlink } = props
  return (
    <>
      {parejaId ? <PartnerLine nombre={nombre} busy={unlinking} onUnlink={onUnlink} /> : null}
      <AlertSwitch />
      {parejaId ? <CalendarSubscription key={parejaId} /> : null}
    </>
  )
}
