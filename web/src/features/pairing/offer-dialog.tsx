import { HeartHandshake } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { focusPage } from '#components/page.tsx'
import { offer as text } from '#lib/messages-later.ts'
import type { Offer } from './use-pairing.ts'

/** How many plans this person made alone. */
type Alone = { proposed: boolean; before: boolean }

type OfferDialogProps = {
  offer: Offer | null
  alone: Alone
  busy: boolean
  /** Whether the two are a couple now. */
  onAccept: () => Promise<boolean>
  onDismiss: () => void
}

/** Shows who invites and what will be shared, before accepting. */
export default function OfferDialog({ offer, alone, busy, onAccept, onDismiss }: OfferDialogProps) {
  const accepted = useRef(false)
  const accept = async () => {
    accepted.current = await onAccept()
  }
  return (
    <ConfirmDialog
      open={offer !== null}
      question={offer ? questionOf(offer) : ''}
      detail={offer ? detailOf(offer, alone) : ''}
      onClose={onDismiss}
      onFocusBack={() => {
        // The card that opened this dialog disappears.
        if (accepted.current) focusPage()
        return accepted.current
      }}
      confirm={
        <Button
          variant="primary"
          busy={busy}
          icon={<HeartHandshake />}
          onClick={() => void accept()}
        >
          {text.accept}
        </Button>
      }
    />
  )
}

const questionOf = ({ nombre, vuelven }: Offer): string =>
  vuelven > 0 ? text.againTitle(nombre) : text.confirmTitle(nombre)

/** The sentences that apply to these two; together they name all that will be shared. */
function detailOf({ nombre, vuelven }: Offer, { proposed, before }: Alone): string {
  const sentences =
    vuelven > 0
      ? [text.comesBack(vuelven), proposed && text.shared(nombre)]
      : [text.shared(nombre), before && text.beforeStays]
  return sentences.filter(Boolean).join(' ')
}
