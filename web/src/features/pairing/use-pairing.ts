import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { pairing } from '#lib/messages.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { invitationSlot } from '#lib/stored.ts'
import {
  acceptInvitation,
  createInvitation,
  type Invitation,
  type Inviter,
  unlinkPartner,
  whoInvites,
} from './api.ts'
import { normalizeCode } from './code.ts'
import { ownInvitation } from './own-invitation.ts'

export type Offer = Inviter & { codigo: string }
export type PairingStep = 'create' | 'look' | 'accept' | 'unlink'

type Options = {
  userId: string
  paired: boolean
  /** Runs after the server changed the couple: profile and list are to be read again. */
  onChanged: () => void
}

/** Making, viewing and accepting an invitation, and ending the pairing. A refusal shows the server's message. */
export function usePairing({ userId, paired, onChanged }: Options) {
  const [invitation, setInvitation] = useState<Invitation | null>(() =>
    ownInvitation.read(userId, new Date()),
  )
  // Accepting invalidates all codes of both.
  if (paired && invitation) setInvitation(null)
  useEffect(() => {
    if (paired) ownInvitation.clear()
  }, [paired])
  const [offer, setOffer] = useState<Offer | null>(null)
  const [offered, setOffered] = useState(false)
  const [busy, setBusy] = useState<PairingStep | null>(null)

  const attempt = async (step: PairingStep, action: () => Promise<void>): Promise<boolean> => {
    setBusy(step)
    try {
      await action()
      return true
    } catch (error) {
      notify.error(serverSentence(error))
      return false
    } finally {
      setBusy(null)
    }
  }

  const look = (codigo: string) =>
    attempt('look', async () => {
      setOffer({ codigo, ...(await whoInvites(codigo)) })
      setOffered(true)
    })

  const dismiss = () => {
    invitationSlot.clear()
    setOffer(null)
  }

  const create = () =>
    attempt('create', async () => {
      const made = await createInvitation()
      ownInvitation.keep(userId, made)
      setInvitation(made)
    })

  /** After a failure the offer stays, to be accepted again or dismissed. */
  const accept = async () => {
    const accepted = await attempt('accept', async () => {
      if (offer) await acceptInvitation(offer.codigo)
      onChanged()
    })
    if (accepted) dismiss()
    return accepted
  }

  const unlink = () => attempt('unlink', async () => unlinkPartner().then(onChanged))

  useBroughtCode(paired, look)

  return {
    invitation,
    offer,
    offered,
    busy,
    create,
    look,
    accept,
    dismiss,
    unlink,
  }
}

/** An invitation link's code, stored in this tab, is viewed once, when the dashboard first shows. */
function useBroughtCode(paired: boolean, look: (codigo: string) => Promise<boolean>): void {
  const asked = useRef(false)
  const ask = useEffectEvent(look)

  // No cleanup: once per tab; the result is a dialog or a notification.
  useEffect(() => {
    const brought = invitationSlot.get()
    if (!brought || asked.current) return
    asked.current = true
    const codigo = normalizeCode(brought)
    if (paired) notify.info(pairing.alreadyPaired)
    else if (!codigo) notify.error(pairing.badLink)
    if (codigo && !paired) void ask(codigo).then((found) => found || invitationSlot.clear())
    else invitationSlot.clear()
  }, [paired])
}
