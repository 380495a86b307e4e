import { CalendarSync, Copy, Unlink } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { focusPage } from '#components/page.tsx'
import { copyText } from '#lib/copy.ts'
import { subscription as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { calendarAddress, revokeCalendar, webcalOf } from './api.ts'
import styles from './calendar-subscription.module.css'

function useAddress() {
  const [address, setAddress] = useState<URL | null>(null)
  const [busy, setBusy] = useState(false)

  const attempt = async (action: () => Promise<URL | null>) => {
    setBusy(true)
    try {
      setAddress(await action())
    } catch (error) {
      notify.error(serverSentence(error))
    } finally {
      setBusy(false)
    }
  }

  const revoke = () =>
    attempt(async () => {
      await revokeCalendar()
      notify.success(text.revoked)
      return null
    })

  return { address, busy, show: () => attempt(calendarAddress), revoke }
}

/** For other calendar programs: a secret address that shows the couple's plans until it is revoked. */
export function CalendarSubscription() {
  const { address, busy, show, revoke } = useAddress()
  const [asking, setAsking] = useState(false)
  return (
    <div className={styles.subscription}>
      {address ? (
        <Address address={address} onRevoke={() => setAsking(true)} />
      ) : (
        <Button
          variant="quiet"
          className={styles.open}
          busy={busy}
          icon={<CalendarSync />}
          onClick={() => void show()}
        >
          {text.open}
        </Button>
      )}
      <ConfirmDialog
        open={asking}
        question={text.revokeQuestion}
        detail={text.revokeText}
        onClose={() => setAsking(false)}
        onFocusBack={() => {
          // The panel goes away with its address.
          if (!address) focusPage()
          return !address
        }}
        confirm={
          <Button
            variant="danger"
            busy={busy}
            icon={<Unlink />}
            onClick={() => void revoke().then(() => setAsking(false))}
          >
            {text.revoke}
          </Button>
        }
      />
    </div>
  )
}

type AddressProps = { address: URL; onRevoke: () => void }

function Address({ address, onRevoke }: AddressProps) {
  const panel = useRef<HTMLElement>(null)

  // No cleanup: the button that asked for the address is gone, its focus moves here once.
  useEffect(() => panel.current?.focus(), [])

  return (
    <section ref={panel} tabIndex={-1} className={styles.panel} aria-label={text.address}>
      <p className={styles.text}>{text.text}</p>
      <p className={styles.address}>{address.href}</p>
      <div className={styles.ways}>
        <Button icon={<Copy />} onClick={() => void copyText(address.href)}>
          {text.copy}
        </Button>
        <a className={styles.link} href={webcalOf(address)}>
          {text.webcal}
        </a>
        <Button variant="quiet" icon={<Unlink />} onClick={onRevoke}>
          {text.revoke}
        </Button>
      </div>
    </section>
  )
}
