import { memo, useEffect, useRef, useState } from 'react'
import { TextButton } from '#components/button.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { StatusChip } from '#components/status-chip.tsx'
import type { Fecha } from '#lib/dates.ts'
import { waiting } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import { UPCOMING_TITLE_ID } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { AnswerButtons } from '../list/activity-buttons.tsx'
import { Byline } from '../list/byline.tsx'
import { DateBlock } from '../list/date-block.tsx'
import { WhenWhere } from '../sheet/when-where.tsx'
import styles from './waiting-cards.module.css'

const reasonOffer = chunk(() => import('../conversation/reason-offer.tsx'))
const seriesAnswer = chunk(() => import('../series/series-answer.tsx'))

type WaitingCardsProps = {
  list: readonly Actividad[]
  /** All common plans: `list` has only the first of each series. */
  all: readonly Actividad[]
  userId: string
  /** How many are shown before «ver más». */
  few: number
  onShow: (id: string) => void
  onShowDay: (fecha: Fecha) => void
}

const cardId = (id: string) => `te-toca-${id}`

/** What waits for this person's answer, whatever its month: the list shows one month alone. */
export const WaitingCards = memo(function WaitingCards(props: WaitingCardsProps) {
  const { list, all: plans, userId, few, onShow, onShowDay } = props

  const [all, setAll] = useState(false)
  const frame = useFocusAfterAnswer(list)
  const [rejected, setRejected] = useState<Actividad | null>(null)
  const talks = useServerHas('conversation')
  const isSaid = ({ id }: Actividad) => id === rejected?.id
  // Not if it is pending again or of a former couple.
  const offered = talks && !list.some(isSaid) && plans.some(isSaid) ? rejected : null
  if (list.length === 0 && !offered) return null
  const shown = all ? list : list.slice(0, few)
  const answering = (actividad: Actividad) => ({
    actividad,
    userId,
    name: waiting,
    onReject: (rejected: boolean) => setRejected(rejected ? actividad : null),
  })
  return (
    <section className={`no-print ${styles.section}`} aria-labelledby="te-toca">
      <header className={styles.header}>
        <h2 id="te-toca" className={styles.heading}>
          {waiting.title}{' '}
          {list.length > 0 ? <span className={styles.count}>{list.length}</span> : null}
        </h2>
        {shown.length < list.length ? (
          <TextButton className={styles.more} onClick={() => setAll(true)}>
            {waiting.showAll(list.length)}
          </TextButton>
        ) : null}
      </header>
      <ul ref={frame} className={styles.cards}>
        {shown.map((actividad) => (
          <li key={actividad.id} id={cardId(actividad.id)} className={styles.card} tabIndex={-1}>
            <DateBlock fecha={actividad.fecha} onShow={onShowDay} />
            <h3 className={styles.title} dir="auto">
              <button type="button" className={styles.open} onClick={() => onShow(actividad.id)}>
                <span className={styles.words}>{actividad.titulo}</span>
              </button>
            </h3>
            <div className={styles.facts}>
              <WhenWhere actividad={actividad} />
              <Byline creatorId={actividad.creador_id} mine={false} />
              <div className={styles.state}>
                {actividad.presupuesto === null ? null : (
                  <p className={styles.amount}>{formatEuros(actividad.presupuesto)}</p>
                )}
                <StatusChip estado={actividad.estado} />
              </div>
            </div>
            <div className={styles.answer}>
              {actividad.serie_id ? (
                <LazyChunk of={seriesAnswer} plans={plans} {...answering(actividad)} />
              ) : (
                <AnswerButtons {...answering(actividad)} />
              )}
            </div>
          </li>
        ))}
      </ul>
      {offered ? (
        <div className={styles.reason}>
          <p className={`${styles.title} ${styles.words}`} dir="auto">
            <s>{offered.titulo}</s>
          </p>
          <LazyChunk
            of={reasonOffer}
            key={offered.id}
            plan={offered.id}
            title={offered.titulo}
            userId={userId}
            onDone={() => setRejected(null)}
          />
        </div>
      ) : null}
    </section>
  )
})

/** An answered card disappears: the focus moves to the next card, or after the last to the next section. */
function useFocusAfterAnswer(list: readonly Actividad[]) {
  const frame = useRef<HTMLUListElement>(null)
  const before = useRef(list)

  // Nothing to clean up: the focus moves once, when a card that had it is gone.
  useEffect(() => {
    const gone = before.current
    before.current = list
    const lost = document.activeElement === document.body
    const place = gone.findIndex(({ id }) => !list.some((each) => each.id === id))
    if (!lost || place < 0) return
    const next = list[Math.min(place, list.length - 1)]
    const target = next && document.getElementById(cardId(next.id))
    ;(target ?? document.getElementById(UPCOMING_TITLE_ID))?.focus()
  }, [list])

  return frame
}
