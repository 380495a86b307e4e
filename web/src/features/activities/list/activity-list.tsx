import { memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { Empty } from '#components/empty.tsx'
import { type Fecha, type Mes, monthOf } from '#lib/dates.ts'
import { activities } from '#lib/messages.ts'
import {
  type ActivityActions,
  focusItem,
  type ItemRequest,
  LIST_TITLE_ID,
} from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import type { Notes } from '../notes.ts'
import { lastDayOf } from '../span.ts'
import { ActivityItem } from './activity-item.tsx'
import styles from './activity-list.module.css'
import { useGrowingList } from './use-growing-list.ts'

type ActivityListProps = {
  mes: Mes
  today: Fecha
  /** The open month's activities; null while the first list has not come. */
  list: readonly Actividad[] | null
  /** The month's plans of former couples. */
  before: readonly Actividad[]
  userId: string
  /** Activities that the partner changed a moment ago. */
  changed: ReadonlySet<string>
  notes: Notes
  actions: ActivityActions
  focusRequest: ItemRequest | null
  /** Shown between the title and the items. */
  children?: ReactNode
}

/** Lists longer than MANY are split into groups of GROUP (`content-visibility`): those out of sight need no layout. */
const MANY = 60
const GROUP = 10

function inGroups<T>(list: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(list.length / size)
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size))
}

export const ActivityList = memo(function ActivityList(props: ActivityListProps) {
  const { mes, today, list, before, userId, changed, notes, actions, focusRequest, children } =
    props
  const past = mes === monthOf(today) && list ? list.filter((one) => lastDayOf(one) < today) : []
  const folded = past.length
  // Past items are rendered last: they are collapsed.
  const arranged =
    list && folded > 0 ? [...list.filter((one) => lastDayOf(one) >= today), ...past] : list
  const wanted = arranged?.findIndex(({ id }) => id === focusRequest?.id) ?? -1
  const shown = useGrowingList(arranged, mes, wanted + 1)
  const ahead = (list?.length ?? 0) - folded
  const common = { userId, changed, notes, actions, long: ahead + folded > MANY }

  const answered = useRef<ItemRequest | null>(null)

  // No cleanup: each request is handled once. Its sender has already opened the item's month.
  useEffect(() => {
    if (!focusRequest || focusRequest === answered.current) return
    answered.current = focusRequest
    focusItem(focusRequest.id)
  }, [focusRequest])

  return (
    <section className={styles.section} aria-labelledby={LIST_TITLE_ID}>
      <h2 id={LIST_TITLE_ID} tabIndex={-1} className={styles.title}>
        {activities.listTitle}
      </h2>
      {children}
      {list === null ? <Skeleton /> : null}
      {list?.length === 0 ? (
        <Empty sign="add">
          <p>{activities.empty}</p>
          <p className={`no-print ${styles.hint}`}>{activities.emptyHint}</p>
        </Empty>
      ) : null}
      {folded > 0 ? (
        <Past count={folded} open={ahead === 0 || wanted >= ahead}>
          <Items {...common} list={shown.slice(ahead)} />
        </Past>
      ) : null}
      {folded > 0 && ahead === 0 ? <p className={styles.allPast}>{activities.allPast}</p> : null}
      <Items {...common} list={shown.slice(0, ahead)} />
      {before.length > 0 ? <Before list={before} userId={userId} actions={actions} /> : null}
    </section>
  )
})

type ItemsProps = Pick<ActivityListProps, 'userId' | 'actions' | 'changed' | 'notes'> & {
  list: readonly Actividad[]
  long: boolean
}

/** One list to assistive technology, however many groups: those have no role. */
function Items({ list, long, userId, changed, notes, actions }: ItemsProps) {
  return (
    <div role={list.length > 0 ? 'list' : undefined}>
      {inGroups(list, long ? GROUP : MANY).map((group, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place in the list
        <div key={place} className={long ? `${styles.list} ${styles.long}` : styles.list}>
          {group.map((actividad) => (
            <ActivityItem
              key={actividad.id}
              actividad={actividad}
              userId={userId}
              note={notes.get(actividad.id)}
              changed={changed.has(actividad.id)}
              actions={actions}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

type PastProps = { count: number; open: boolean; children: ReactNode }

/** The current month's past plans, collapsed above the coming ones; `open` expands it. */
function Past({ count, open, children }: PastProps) {
  const fold = useRef<HTMLDetailsElement>(null)

  // Nothing to clean up: it stays expanded until the user collapses it.
  useLayoutEffect(() => {
    if (open && fold.current) fold.current.open = true
  }, [open])

  return (
    <details ref={fold} className={styles.past} data-fold>
      <summary className={styles.summary}>{activities.past(count)}</summary>
      {children}
    </details>
  )
}

type BeforeProps = Pick<ActivityListProps, 'userId' | 'actions'> & { list: readonly Actividad[] }

/** Plans of former couples, collapsed, so that they do not look like plans of the present one. */
function Before({ list, userId, actions }: BeforeProps) {
  return (
    <details className={`no-print ${styles.before}`}>
      <summary className={styles.summary}>{activities.before(list.length)}</summary>
      {/* biome-ignore lint/a11y/useSemanticElements: as the month's */}
      <div role="list" className={styles.list}>
        {list.map((actividad) => (
          <ActivityItem
            key={actividad.id}
            actividad={actividad}
            userId={userId}
            before
            changed={false}
            actions={actions}
          />
        ))}
      </div>
    </details>
  )
}

function Skeleton() {
  return (
    <div className={styles.list} aria-hidden="true">
      <div className={styles.bone} />
      <div className={styles.bone} />
      <div className={styles.bone} />
    </div>
  )
}
