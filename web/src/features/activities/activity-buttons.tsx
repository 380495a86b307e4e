import { CalendarPlus, Check, CopyPlus, RotateCcw, Trash2, X } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '#components/button.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { activities, again, ics } from '#lib/messages.ts'
import type { ActivityActions } from './activity-actions.ts'
import styles from './activity-item.module.css'
import type { Actividad, Answer } from './api.ts'
import { saveIcs } from './save-ics.ts'
import { useAnswer } from './use-activities.ts'

type QuietButtonsProps = { actividad: Actividad; mine: boolean; actions: ActivityActions }
type AnswerButtonsProps = {
  actividad: Actividad
  userId: string
  /** True from the press until the server has refused it: then the item's new state comes from here. */
  answered: RefObject<boolean>
}

/** What can be done with a plan besides answering it; only its creator deletes it. */
export function QuietButtons({ actividad, mine, actions }: QuietButtonsProps) {
  const readOnly = useReadOnly()
  return (
    <div className={`no-print ${styles.quiet}`}>
      {actividad.estado === 'aceptado' ? (
        <Button
          variant="quiet"
          aria-label={`${ics.one}: ${actividad.titulo}`}
          title={ics.one}
          icon={<CalendarPlus />}
          onClick={() => void saveIcs([actividad], `plan-${actividad.fecha}`)}
        />
      ) : null}
      <RepeatButton actividad={actividad} onRepeat={actions.again} />
      {mine ? (
        <Button
          {...readOnly}
          variant="quiet"
          aria-label={`${activities.remove}: ${actividad.titulo}`}
          icon={<Trash2 />}
          onClick={() => actions.remove(actividad)}
        >
          {activities.remove}
        </Button>
      ) : null}
    </div>
  )
}

/** For the partner, while the plan waits. */
export function AnswerButtons({ actividad, userId, answered }: AnswerButtonsProps) {
  const answer = useAnswer(actividad, userId)
  const readOnly = useReadOnly()
  const busy = answer.isPending ? answer.variables : null

  const give = (estado: Answer) => {
    if (busy) return
    answered.current = true
    answer.mutate(estado, {
      onError: () => {
        answered.current = false
      },
    })
  }

  return (
    <div className={`no-print ${styles.answer}`}>
      <Button
        {...readOnly}
        variant="accept"
        busy={busy === 'aceptado'}
        aria-label={`${activities.accept}: ${actividad.titulo}`}
        icon={<Check />}
        onClick={() => give('aceptado')}
      >
        {activities.accept}
      </Button>
      <Button
        {...readOnly}
        variant="reject"
        busy={busy === 'rechazado'}
        aria-label={`${activities.reject}: ${actividad.titulo}`}
        icon={<X />}
        onClick={() => give('rechazado')}
      >
        {activities.reject}
      </Button>
    </div>
  )
}

type RepeatButtonProps = { actividad: Actividad; onRepeat: (actividad: Actividad) => void }

/** After a rejection it is the way on, and says so in words; otherwise a convenience. */
function RepeatButton({ actividad, onRepeat }: RepeatButtonProps) {
  const readOnly = useReadOnly()
  const rejected = actividad.estado === 'rechazado'
  const word = rejected ? again.propose : again.duplicate
  const Icon = rejected ? RotateCcw : CopyPlus
  return (
    <Button
      title={word}
      {...readOnly}
      variant="quiet"
      aria-label={`${word}: ${actividad.titulo}`}
      icon={<Icon />}
      onClick={() => onRepeat(actividad)}
    >
      {rejected ? word : null}
    </Button>
  )
}
