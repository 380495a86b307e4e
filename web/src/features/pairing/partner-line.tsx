import { Unlink } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { pairing } from '#lib/messages.ts'
import styles from './pairing-card.module.css'

type PartnerLineProps = {
  nombre: string | null
  busy: boolean
  /** Resolves to whether the couple was parted. */
  onUnlink: () => Promise<boolean>
}

const icon = <Unlink size={20} strokeWidth={1.75} aria-hidden />

/** Whom the calendar is shared with, and the way out of it. */
export function PartnerLine({ nombre, busy, onUnlink }: PartnerLineProps) {
  const [asking, setAsking] = useState(false)
  return (
    <div className={styles.partner}>
      <p>
        {pairing.with} <strong>{nombre ?? pairing.somebody}</strong>
      </p>
      <Button variant="quiet" icon={icon} onClick={() => setAsking(true)}>
        {pairing.unlink}
      </Button>
      <ConfirmDialog
        open={asking}
        question={pairing.unlinkQuestion}
        detail={pairing.unlinkText}
        onClose={() => setAsking(false)}
        confirm={
          <Button
            variant="danger"
            busy={busy}
            icon={icon}
            onClick={() => void onUnlink().then(() => setAsking(false))}
          >
            {pairing.unlink}
          </Button>
        }
      />
    </div>
  )
}
