import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import type { Actividad } from '#features/activities/api.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import { otherDate } from '#lib/messages.ts'

const otherDateForm = chunk(() => import('#features/activities/form/other-date-form.tsx'))

type OtherDateProps = {
  /** The first screen is rendered: the form may be prefetched. */
  ready: boolean
  /** The partner's proposal; null while the form is closed. */
  asked: Actividad | null
  userId: string
  onClose: () => void
}

/** The form's code is prefetched when the browser is idle. */
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
