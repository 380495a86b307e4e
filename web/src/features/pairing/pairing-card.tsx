import { Plus } from 'lucide-react'
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
      <Drawing />
      <div className={styles.half}>
        <h2 id="invitar" className={styles.title}>
          {pairing.title}
        </h2>
        <ol className={styles.steps}>
          {pairing.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
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
        <details className={styles.have} data-fold>
          <summary className={styles.summary}>{pairing.haveCode}</summary>
          <CodeForm busy={busy === 'look'} onLook={onLook} />
        </details>
      </div>
    </section>
  )
}

/** Two circles on their way to each other. */
function Drawing() {
  return (
    <svg
      className={styles.drawing}
      viewBox="0 0 160 96"
      fill="none"
      strokeWidth="3"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="58" cy="48" r="36" fill="var(--persona-1-tint)" stroke="var(--persona-1)" />
      <circle
        cx="102"
        cy="48"
        r="36"
        fill="var(--persona-2-tint)"
        fillOpacity="0.7"
        stroke="var(--persona-2)"
        strokeDasharray="7 8"
      />
      <path d="m70 49 7 7 14-16" stroke="var(--text)" />
    </svg>
  )
}
