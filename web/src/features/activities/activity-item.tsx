import { memo, useEffect, useRef } from 'react'
import { StatusChip } from '#components/status-chip.tsx'
import { dayOf, type Fecha, longDate, shortMonth, shortWeekday } from '#lib/dates.ts'
import { activities, calendar } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import { type ActivityActions, itemId } from './activity-actions.ts'
import { AnswerButtons, QuietButtons } from './activity-buttons.tsx'
import styles from './activity-item.module.css'
import type { Actividad } from './api.ts'

type ActivityItemProps = {
  actividad: Actividad
  userId: string
  /** Made in a couple that is no more: nobody else sees it. */
  before?: boolean
  /** The partner changed it a moment ago. */
  changed: boolean
  actions: ActivityActions
}

export const ActivityItem = memo(function ActivityItem(props: ActivityItemProps) {
  const { actividad, userId, before = false, changed, actions } = props
  const { id, titulo, descripcion, fecha, presupuesto, estado, creador_id } = actividad
  const mine = creador_id === userId
  const waiting = estado === 'pendiente' && !mine
  const article = useRef<HTMLElement>(null)
  const answered = useRef(false)

  // No cleanup: once the answer is on the screen its buttons are gone, and focus must not fall to the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of status that matters
  useEffect(() => {
    if (answered.current) article.current?.focus()
    answered.current = false
  }, [estado])

  const author = mine ? activities.mine : activities.partners
  const classes = [
    styles.item,
    styles[estado],
    waiting && styles.waiting,
    changed && styles.changed,
  ]
  return (
    // biome-ignore lint/a11y/useSemanticElements: the list is one over groups
    <div role="listitem">
      <article
        ref={article}
        id={itemId(id)}
        tabIndex={-1}
        aria-labelledby={`${itemId(id)}-titulo`}
        className={classes.filter(Boolean).join(' ')}
      >
        <DateBlock fecha={fecha} onShow={actions.showDay} />
        <div className={styles.body}>
          <h3 id={`${itemId(id)}-titulo`} className={styles.title} dir="auto">
            {estado === 'rechazado' ? <s>{titulo}</s> : titulo}
          </h3>
          {descripcion ? (
            <p className={styles.description} dir="auto">
              {descripcion}
            </p>
          ) : null}
        </div>
        <div className={styles.facts}>
          {presupuesto === null ? null : (
            <p className={styles.amount}>{formatEuros(presupuesto)}</p>
          )}
          <StatusChip estado={estado} />
        </div>
        <div className={styles.foot}>
          <p className={styles.author}>{before ? activities.fromBefore : author}</p>
          <QuietButtons actividad={actividad} mine={mine} actions={actions} />
        </div>
        {waiting ? (
          <AnswerButtons actividad={actividad} userId={userId} answered={answered} />
        ) : null}
      </article>
    </div>
  )
})

type DateBlockProps = { fecha: Fecha; onShow: (fecha: Fecha) => void }

/** The date, and the way to its day in the calendar. */
function DateBlock({ fecha, onShow }: DateBlockProps) {
  return (
    <button
      type="button"
      className={styles.date}
      aria-label={`${longDate(fecha)}. ${calendar.show}`}
      title={calendar.show}
      onClick={() => onShow(fecha)}
    >
      <time dateTime={fecha} className={styles.time}>
        <span>{shortWeekday(fecha)}</span>
        <span className={styles.day}>{dayOf(fecha)}</span>
        <span>{shortMonth(fecha)}</span>
      </time>
    </button>
  )
}
