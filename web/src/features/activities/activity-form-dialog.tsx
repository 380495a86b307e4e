import { useRef } from 'react'
import { Dialog } from '#components/dialog.tsx'
import type { Fecha } from '#lib/dates.ts'
import { activities, editing } from '#lib/messages.ts'
import { ActivityForm } from './activity-form.tsx'
import type { Actividad } from './api.ts'
import type { Draft } from './draft.ts'
import { SameDay } from './same-day.tsx'

type ActivityFormDialogProps = {
  open: boolean
  draft: Draft
  today: Fecha
  byDay: ReadonlyMap<Fecha, readonly Actividad[]>
  /** Whether it changes a proposal that is there, instead of making one. */
  editing: boolean
  onChange: (draft: Draft) => void
  onClose: () => void
  /** Expects a draft without errors; resolves when the server has answered. */
  onSubmit: (draft: Draft) => Promise<void>
  onShow: (actividad: Actividad) => void
}

export function ActivityFormDialog(props: ActivityFormDialogProps) {
  const { open, byDay, onClose, onShow, ...form } = props
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
      <ActivityForm {...form} onCancel={onClose}>
        <SameDay planned={byDay.get(form.draft.fecha)} onShow={show} />
      </ActivityForm>
    </Dialog>
  )
}
