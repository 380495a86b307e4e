import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import type { Actividad } from '#features/activities/api.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import { otherDate } from '#lib/messages.ts'

const otherDateForm = chunk(() => import('#features/activities/form/other-date-form.tsx'))

type OtherDateProps = {
  /** What is seen first is there. */
  ready: boolean
  /** The partner's proposal; null while none is asked about. */
  asked: Actividad | null
  userId: string
  onClose: () => void
}

/** The code of its form comes when there is time. */
export function OtherDate({ ready, asked, userId, onClose }: OtherDateProps) {
  usePrefetch(ready, otherDateForm.fetch)
  return (
    <Dialog open={asked !== null} title={otherDate.action} onClose={onClose}>
      {asked ? (
        <LazyChunk of={otherDateForm} asked={asked} userId={userId} onClose={onClose} />
      ) : null}
    </Dialog>
  )
}
