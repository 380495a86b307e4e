import { Ellipsis } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { Menu } from '#components/menu.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { StatusChip } from '#components/status-chip.tsx'
import { useAfterPaint } from '#hooks/use-after-paint.ts'
import { longDate } from '#lib/dates.ts'
import { activities, plan as text } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import type { ActivityActions } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { AnswerButtons } from '../list/activity-buttons.tsx'
import { Byline } from '../list/byline.tsx'
import { History } from './history.tsx'
import { LinkedText } from './linked-text.tsx'
import { usePlanMenu } from './plan-menu.tsx'
import styles from './plan-sheet.module.css'
import { WhenWhere } from './when-where.tsx'

const conversation = chunk(() => import('../conversation/conversation.tsx'))
const reasonOffer = chunk(() => import('../conversation/reason-offer.tsx'))

type PlanSheetProps = {
  actividad: Actividad
  userId: string
  /** Made in a former couple: nobody else sees it. */
  before: boolean
  /** This person may answer it. */
  waiting: boolean
  /** The plan that replaced it, or that it replaces. */
  note: string | undefined
  /** Opens at its history. */
  unfolded: boolean
  /** Its payments and photos. */
  extras: ReactNode
  actions: ActivityActions
  onClose: () => void
}

/** Everything about one plan, and all that can be done with it. */
export default function PlanSheet({
  actividad,
  userId,
  before,
  waiting,
  note,
  unfolded,
  extras,
  actions,
  onClose,
}: PlanSheetProps) {
  const { titulo, fecha, descripcion, presupuesto, estado, creador_id } = actividad
  const talks = useServerHas('conversation')
  const [offering, setOffering] = useState(false)
  // The plan itself is rendered at once, its comments, payments and photos in a later rendering.
  const whole = useAfterPaint(true, false)
  const mine = creador_id === userId
  const menu = usePlanMenu({ actividad, mine, before, history: false, deletion: true }, actions)
  return (
    <>
      <DialogBody>
        <div className={styles.facts}>
          <p className={styles.when}>
            <time dateTime={fecha}>{longDate(fecha)}</time>
          </p>
          {presupuesto === null ? null : (
            <p className={styles.amount}>{formatEuros(presupuesto)}</p>
          )}
          <StatusChip estado={estado} />
        </div>
        <WhenWhere actividad={actividad} />
        {before ? <p>{activities.fromBefore}</p> : <Byline creatorId={creador_id} mine={mine} />}
        {note ? <p className={styles.note}>{note}</p> : null}
        {descripcion ? (
          <p className={styles.text} dir="auto">
            <LinkedText text={descripcion} />
          </p>
        ) : null}
        {talks && offering && estado === 'rechazado' ? (
          <LazyChunk
            of={reasonOffer}
            plan={actividad.id}
            title={titulo}
            userId={userId}
            onDone={() => setOffering(false)}
          />
        ) : null}
        {whole && talks ? (
          <LazyChunk of={conversation} plan={actividad.id} userId={userId} closed={before} />
        ) : null}
        {whole ? extras : null}
        {!whole || actividad.revision === undefined ? null : (
          <History plan={actividad.id} userId={userId} unfolded={unfolded} />
        )}
      </DialogBody>
      <DialogActions>
        <div className={styles.more}>
          <Menu label={activities.more(titulo)} icon={<Ellipsis />} items={menu} up />
        </div>
        {waiting ? (
          <AnswerButtons actividad={actividad} userId={userId} onReject={setOffering} />
        ) : (
          <Button onClick={onClose}>{text.close}</Button>
        )}
      </DialogActions>
    </>
  )
}
