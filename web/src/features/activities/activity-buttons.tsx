import { Check, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { activities } from '#lib/messages.ts'
import type { ActivityActions } from './activity-actions.ts'
import styles from './activity-item.module.css'
import type { Actividad, Answer } from './api.ts'

type ActivityButtonsProps = { actividad: Actividad; mine: boolean; actions: ActivityActions }

const icon = { size: 20, strokeWidth: 1.75, 'aria-hidden': true } as const

/** What this person may do: the creator deletes, the partner answers while it waits. */
export function ActivityButtons({ actividad, mine, actions }: ActivityButtonsProps) {
  const [busy, setBusy] = useState<Answer | null>(null)
  const named = (word: string) => `${word}: ${actividad.titulo}`

  const answer = async (estado: Answer) => {
    if (busy) return
    setBusy(estado)
    await actions.answer(actividad, estado)
    setBusy(null)
  }

  return (
    <>
      {!mine && actividad.estado === 'pendiente' ? (
        <div className={styles.answer}>
          <Button
            variant="accept"
            busy={busy === 'aceptado'}
            aria-label={named(activities.accept)}
            icon={<Check {...icon} />}
            onClick={() => void answer('aceptado')}
          >
            {activities.accept}
          </Button>
          <Button
            variant="reject"
            busy={busy === 'rechazado'}
            aria-label={named(activities.reject)}
            icon={<X {...icon} />}
            onClick={() => void answer('rechazado')}
          >
            {activities.reject}
          </Button>
        </div>
      ) : null}
      <div className={styles.quiet}>
        {mine ? (
          <Button
            variant="quiet"
            aria-label={named(activities.remove)}
            icon={<Trash2 {...icon} />}
            onClick={() => actions.remove(actividad)}
          >
            {activities.remove}
          </Button>
        ) : null}
      </div>
    </>
  )
}
