import { Check, Ellipsis, Trash2, X } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '#components/button.tsx'
import { Menu } from '#components/menu.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { activities } from '#lib/messages.ts'
import type { ActivityActions } from '../activity-actions.ts'
import type { Actividad, Answer } from '../api.ts'
import { usePlanMenu } from '../sheet/plan-menu.tsx'
import { useAnswer } from '../use-activities.ts'
import styles from './activity-item.module.css'

type ItemActionsProps = {
  actividad: Actividad
  mine: boolean
  before: boolean
  /** Deleting is in the menu: the specification wants its own button in the month's list only. */
  foldedDeletion?: boolean
  actions: ActivityActions
}

/** What can be done with a plan besides answering it. */
export function ItemActions(props: ItemActionsProps) {
  const { actividad, mine, before, foldedDeletion = false, actions } = props
  const readOnly = useReadOnly()
  const plan = { actividad, mine, before, history: true, deletion: foldedDeletion }
  const menu = usePlanMenu(plan, actions)
  const { titulo } = actividad
  return (
    <div className={`no-print ${styles.quiet}`}>
      {mine && !foldedDeletion ? (
        <Button
          {...readOnly}
          variant="quiet"
          aria-label={activities.named(activities.remove, titulo)}
          icon={<Trash2 />}
          onClick={() => actions.remove(actividad)}
        >
          {activities.remove}
        </Button>
      ) : null}
      <Menu label={activities.more(titulo)} icon={<Ellipsis />} items={menu} />
    </div>
  )
}

export type AnswerButtonsProps = {
  actividad: Actividad
  userId: string
  /** True from the press on, unless the server refuses: the change of status comes from this item. */
  answered?: RefObject<boolean>
  /** Called at the press with whether it rejects, with false after a failure. The buttons disappear with the answer. */
  onReject?: (rejected: boolean) => void
  /** How the two buttons are called; they begin with what they show. */
  name?: { accept: (title: string) => string; reject: (title: string) => string }
}

const names = {
  accept: (title: string) => activities.named(activities.accept, title),
  reject: (title: string) => activities.named(activities.reject, title),
}

/** For the partner, while the plan waits. */
export function AnswerButtons(props: AnswerButtonsProps) {
  const { actividad, userId, answered, onReject, name = names } = props
  const answer = useAnswer(actividad, userId)
  const readOnly = useReadOnly()
  const busy = answer.isPending ? answer.variables : null

  const give = (estado: Answer) => {
    if (busy) return
    if (answered) answered.current = true
    onReject?.(estado === 'rechazado')
    answer.mutate(estado, {
      onError: () => {
        onReject?.(false)
        if (answered) answered.current = false
      },
    })
  }

  return (
    <>
      <Button
        {...readOnly}
        variant="accept"
        busy={busy === 'aceptado'}
        aria-label={name.accept(actividad.titulo)}
        icon={<Check />}
        onClick={() => give('aceptado')}
      >
        {activities.accept}
      </Button>
      <Button
        {...readOnly}
        variant="reject"
        busy={busy === 'rechazado'}
        aria-label={name.reject(actividad.titulo)}
        icon={<X />}
        onClick={() => give('rechazado')}
      >
        {activities.reject}
      </Button>
    </>
  )
}
