import { Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { chunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { activities, catalogue } from '#lib/messages.ts'
import { focusItem, itemId } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import type { DeletionScope } from '../series/series-api.ts'
import { useRemove } from '../use-activities.ts'

const seriesScope = chunk(() => import('../series/series-scope.tsx'))

type DeletionDialogProps = {
  /** What is about to be deleted; null while nothing is. */
  asked: Actividad | null
  userId: string
  shown: readonly Actividad[]
  onClose: () => void
}

/** Asks, deletes, and leads the focus to the item that takes the deleted one's place. */
export function DeletionDialog({ asked, userId, shown, onClose }: DeletionDialogProps) {
  const remove = useRemove(userId)
  const next = useRef<string | null>(null)
  const gone = useRef(false)
  const [scope, setScope] = useState<DeletionScope>('esta')
  const close = () => {
    setScope('esta')
    onClose()
  }

  const confirm = async () => {
    if (!asked || remove.isPending) return
    const place = shown.findIndex(({ id }) => id === asked.id)
    next.current = (shown[place + 1] ?? shown[place - 1])?.id ?? null
    gone.current = await remove.mutateAsync({ actividad: asked, scope }).then(
      () => true,
      () => false,
    )
    close()
  }

  /** Whether the focus was moved because the item that opened the dialog is gone. */
  const moveFocus = () => {
    const lost = gone.current || (asked !== null && !document.getElementById(itemId(asked.id)))
    if (lost) focusItem(next.current)
    gone.current = false
    return lost
  }

  return (
    <ConfirmDialog
      open={asked !== null}
      question={catalogue.deleteQuestion}
      detail={asked?.titulo ?? ''}
      onClose={close}
      onFocusBack={moveFocus}
      confirm={
        <Button
          variant="danger"
          busy={remove.isPending}
          icon={<Trash2 />}
          onClick={() => void confirm()}
        >
          {activities.remove}
        </Button>
      }
    >
      {asked?.serie_id ? (
        <QuietLazyChunk of={seriesScope} value={scope} onChange={setScope} />
      ) : null}
    </ConfirmDialog>
  )
}
