import { Dialog } from '#components/dialog.tsx'
import type { Fecha } from '#lib/dates.ts'
import { activities } from '#lib/messages.ts'
import { ActivityForm } from './activity-form.tsx'
import type { Draft } from './draft.ts'

type ActivityFormDialogProps = {
  open: boolean
  draft: Draft
  today: Fecha
  onChange: (draft: Draft) => void
  onClose: () => void
  /** Expects a draft without errors; resolves when the server has answered. */
  onCreate: (draft: Draft) => Promise<void>
}

export function ActivityFormDialog({ open, onClose, ...form }: ActivityFormDialogProps) {
  return (
    <Dialog open={open} title={activities.create} onClose={onClose}>
      <ActivityForm {...form} onCancel={onClose} />
    </Dialog>
  )
}
