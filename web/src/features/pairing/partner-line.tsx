import { Unlink } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { focusPage } from '#components/page.tsx'
import { pairing } from '#lib/messages.ts'
import { parting as text } from '#lib/messages-later.ts'
import styles from './pairing-card.module.css'

type PartnerLineProps = {
  nombre: string | null
  busy: boolean
  /** Resolves to whether the pairing was ended. */
  onUnlink: () => Promise<boolean>
}

const icon = <Unlink />

/** Whom the calendar is shared with, and the button to end the pairing. */
export function PartnerLine({ nombre, busy, onUnlink }: PartnerLineProps) {
  const [asking, setAsking] = useState(false)
  const parted = useRef(false)
  const part = async () => {
    parted.current = await onUnlink()
    setAsking(false)
  }

  /** This line disappears with the pairing. */
  const leadFocus = () => {
    if (parted.current) focusPage()
    return parted.current
  }

  return (
    <div className={styles.partner}>
      <p>
        {text.with}{' '}
        <strong>
          <bdi>{nombre ?? pairing.somebody}</bdi>
        </strong>
      </p>
      <Button variant="quiet" icon={icon} onClick={() => setAsking(true)}>
        {text.unlink}
      </Button>
      <ConfirmDialog
        open={asking}
        question={text.unlinkQuestion}
        detail={text.unlinkText}
        onClose={() => setAsking(false)}
        onFocusBack={leadFocus}
        confirm={
          <Button variant="danger" busy={busy} icon={icon} onClick={() => void part()}>
            {text.unlink}
          </Button>
        }
      />
    </div>
  )
}
