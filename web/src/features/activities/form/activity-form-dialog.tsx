import { useRef } from 'react'
import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import type { Fecha } from '#lib/dates.ts'
import { activities, editing } from '#lib/messages.ts'
import type { Actividad, Changes } from '../api.ts'
import type { Send } from '../use-activities.ts'
import type { Draft } from './draft.ts'

const activityForm = chunk(() => import('./activity-form.tsx'))

export const fetchActivityForm = activityForm.fetch

type ActivityFormDialogProps = {
  open: boolean
  draft: Draft
  today: Fecha
  byDay: ReadonlyMap<Fecha, readonly Actividad[]>
  /** The proposal that is changed, instead of making one. */
  editing: Actividad | null
  /** Made from an idea: such a plan cannot repeat. */
  mayRepeat: boolean
  onChange: (draft: Draft) => void
  onClose: () => void
  /** Resolves when the server has answered. */
  onSubmit: (changes: Changes, send?: Send) => Promise<void>
  onShow: (actividad: Actividad) => void
}

export function ActivityFormDialog(props: ActivityFormDialogProps) {
  const { open, onClose, onShow, ...form } = props
  const leadsTo = useRef<Actividad | null>(null)

  const show = (actividad: Actividad) => {
    leadsTo.current = actividad
    onClose()
  }

  const leadFocus = () => {
    const target = leadsTo.current
    leadsTo.current = null
    if (target) onShow(target)
    return target !== null
  }

  return (
    <Dialog
      open={open}
      title={form.editing ? editing.title : activities.create}
      onClose={onClose}
      onFocusBack={leadFocus}
    >
      <LazyChunk of={activityForm} {...form} onCancel={onClose} onShow={show} />
    </Dialog>
  )
}
