import { type CSSProperties, useDeferredValue } from 'react'
import { TextButton } from '#components/button.tsx'
import { Mark } from '#components/mark.tsx'
import { activities } from '#lib/messages.ts'
import { activityForm } from '#lib/messages-later.ts'
import type { Actividad } from '../api.ts'
import styles from './same-day.module.css'

type SameDayProps = {
  planned: readonly Actividad[] | undefined
  onShow: (actividad: Actividad) => void
}

const none: readonly Actividad[] = []

/** The chosen day's plans, each with a link to its item. They load after the dialog, into reserved room. */
export function SameDay({ planned, onShow }: SameDayProps) {
  const shown = useDeferredValue(planned, none)
  if (!planned || !shown) return null
  const room = { '--plans': planned.length } as CSSProperties
  return (
    <div className={styles.day}>
      <p className={styles.title}>{activityForm.sameDay}</p>
      <ul className={styles.list} style={room}>
        {shown.map((actividad) => (
          <li key={actividad.id} className={styles.plan}>
            <Mark estado={actividad.estado} />
            <TextButton onClick={() => onShow(actividad)}>
              <bdi>{actividad.titulo}</bdi>
            </TextButton>
            <span className="sr-only">{activities.status[actividad.estado]}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
