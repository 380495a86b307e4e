import { HeartHandshake } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { focusPage } from '#components/page.tsx'
import { pairing } from '#lib/messages.ts'
import type { Offer } from './use-pairing.ts'

type OfferDialogProps = {
  offer: Offer | null
  busy: boolean
  /** Whether the two are a couple now. */
  onAccept: () => Promise<boolean>
  onDismiss: () => void
}

/** Says who invites and what will be shared, before it is. */
export function OfferDialog({ offer, busy, onAccept, onDismiss }: OfferDialogProps) {
  const accepted = useRef(false)
  const accept = async () => {
    accepted.current = await onAccept()
  }
  return (
    <ConfirmDialog
      open={offer !== null}
      question={pairing.confirmTitle(offer?.nombre ?? '')}
      detail={pairing.confirmText}
      onClose={onDismiss}
      onFocusBack={() => {
        // The card that the offer came from goes away.
        if (accepted.current) focusPage()
        return accepted.current
      }}
      confirm={
        <Button
          variant="primary"
          busy={busy}
          icon={<HeartHandshake size={20} strokeWidth={1.75} aria-hidden />}
          onClick={() => void accept()}
        >
          {pairing.accept}
        </Button>
      }
    />
  )
}
