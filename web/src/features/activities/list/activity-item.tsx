import { memo, useEffect, useRef, useState } from 'react'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { StatusChip } from '#components/status-chip.tsx'
import { activities } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import { type ActivityActions, itemId } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { Reason, Said } from '../conversation/conversations.tsx'
import { WhenWhere } from '../sheet/when-where.tsx'
import { AnswerButtons, ItemActions } from './activity-buttons.tsx'
import styles from './activity-item.module.css'
import { Byline } from './byline.tsx'
import { DateBlock } from './date-block.tsx'
import { LongText } from './long-text.tsx'

const reasonOffer = chunk(() => import('../conversation/reason-offer.tsx'))

type ActivityItemProps = {
  actividad: Actividad
  userId: string
  /** Made in a former couple: nobody else sees it. */
  before?: boolean
  /** The plan that replaced it, or that it replaces. */
  note?: string | undefined
  /** The partner changed it a moment ago. */
  changed: boolean
  foldedDeletion?: boolean
  actions: ActivityActions
}

export const ActivityItem = memo(function ActivityItem(props: ActivityItemProps) {
  const { actividad, userId, before = false, note, changed, actions } = props
  const { foldedDeletion = false } = props
  const { id, titulo, descripcion, fecha, presupuesto, estado, creador_id } = actividad
  const mine = creador_id === userId
  const waiting = estado === 'pendiente' && !mine
  const article = useRef<HTMLElement>(null)
  const answered = useRef(false)
  const talks = useServerHas('conversation')
  const [offering, setOffering] = useState(false)

  // No cleanup: the answer removes the focused button, and the focus must not fall back to the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of status that matters
  useEffect(() => {
    if (answered.current) article.current?.focus()
    answered.current = false
  }, [estado])

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
            <button type="button" className={styles.open} onClick={() => actions.open(id)}>
              <span className={styles.words}>
                {estado === 'rechazado' ? <s>{titulo}</s> : titulo}
              </span>
            </button>
          </h3>
          <WhenWhere actividad={actividad} />
          {note ? <p className={styles.note}>{note}</p> : null}
          {descripcion ? <LongText text={descripcion} /> : null}
          {estado === 'rechazado' ? <Reason plan={id} userId={userId} /> : null}
        </div>
        <div className={styles.facts}>
          {presupuesto === null ? null : (
            <p className={styles.amount}>{formatEuros(presupuesto)}</p>
          )}
          <StatusChip estado={estado} />
        </div>
        <div className={styles.foot}>
          {before ? (
            <p className={styles.author}>{activities.fromBefore}</p>
          ) : (
            <Byline creatorId={creador_id} mine={mine} />
          )}
          <Said plan={id} title={titulo} onOpen={() => actions.open(id)} />
          <ItemActions
            actividad={actividad}
            mine={mine}
            before={before}
            foldedDeletion={foldedDeletion}
            actions={actions}
          />
        </div>
        {waiting ? (
          <div className={`no-print ${styles.answer}`}>
            <AnswerButtons
              actividad={actividad}
              userId={userId}
              answered={answered}
              onReject={setOffering}
            />
          </div>
        ) : null}
        {talks && offering && estado === 'rechazado' ? (
          <LazyChunk
            of={reasonOffer}
            plan={id}
            title={titulo}
            userId={userId}
            onDone={() => {
              setOffering(false)
              article.current?.focus()
            }}
          />
        ) : null}
      </article>
    </div>
  )
})
