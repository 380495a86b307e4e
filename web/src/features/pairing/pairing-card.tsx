import { HeartHandshake, Plus } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { pairing } from '#lib/messages.ts'
import type { Invitation } from './api.ts'
import { CodeForm } from './code-form.tsx'
import { OwnCode } from './own-code.tsx'
import styles from './pairing-card.module.css'
import type { PairingStep } from './use-pairing.ts'

type PairingCardProps = {
  invitation: Invitation | null
  busy: PairingStep | null
  onCreate: () => void
  onLook: (codigo: string) => void
}

/** Shown while there is no partner: invite one, or use the code of somebody who invites. */
export function PairingCard({ invitation, busy, onCreate, onLook }: PairingCardProps) {
  return (
    <section className={`no-print ${styles.card}`} aria-labelledby="invitar">
      <div className={styles.half}>
        <h2 id="invitar" className={styles.title}>
          <HeartHandshake className={styles.sign} strokeWidth={1.75} aria-hidden />
          {pairing.title}
        </h2>
        <p className={styles.text}>{pairing.text}</p>
        <div role="status">{invitation ? <OwnCode invitation={invitation} /> : null}</div>
        <Button
          variant={invitation ? 'quiet' : 'primary'}
          className={styles.create}
          busy={busy === 'create'}
          icon={<Plus />}
          onClick={onCreate}
        >
          {invitation ? pairing.createAnother : pairing.create}
        </Button>
      </div>
      <CodeForm busy={busy === 'look'} onLook={onLook} />
    </section>
  )
}
