import { useEffect, useRef, useState } from 'react'
import { Dialog } from '#components/dialog.tsx'
import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import type { ActivityActions } from '#features/activities/activity-actions.ts'
import type { Actividad } from '#features/activities/api.ts'
import type { Notes } from '#features/activities/notes.ts'
import { openedInside } from '#hooks/use-address.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import { pairing, plan as text } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

const planSheet = chunk(() => import('#features/activities/sheet/plan-sheet.tsx'))
const planExtras = chunk(() => import('./plan-extras.tsx'))

type OpenPlanProps = {
  /** The id in the address. */
  id: string | null
  all: readonly Actividad[] | undefined
  before: readonly Actividad[]
  /** Ids whose deletion was received. */
  deleted: ReadonlySet<string | undefined>
  userId: string
  partnerName: string | null
  notes: Notes
  /** The plan whose sheet opens at its history. */
  history: string | null
  actions: ActivityActions
  /** Removes the plan from the present address. */
  onForget: () => void
}

/** The sheet of the plan in the address. A missing or deleted plan is notified and removed from the address. */
export function OpenPlan(props: OpenPlanProps) {
  const { id, all, before, deleted, userId, partnerName, notes, history, actions, onForget } = props
  const found = all?.find((each) => each.id === id) ?? null
  const [shown, setShown] = useState<Actividad | null>(null)
  if (found && found !== shown) setShown(found)
  const leaving = useRef(false)

  const close = () => {
    if (leaving.current) return
    leaving.current = true
    if (openedInside()) window.history.back()
    else onForget()
  }

  const missing = id !== null && all !== undefined && found === null
  const known = shown?.id === id ? shown : null
  const closeRef = useRef(close)
  closeRef.current = close

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was known of it is of the moment it went
  useEffect(() => {
    if (id === null) leaving.current = false
    if (!missing) return
    if (!known) {
      notify.error(text.missing)
      onForget()
    } else {
      const gone = deleted.has(id) ? text.deleted(partnerName ?? pairing.somebody) : text.missing
      if (known.creador_id !== userId) notify.info(gone)
      return afterDialogs(() => closeRef.current())
    }
  }, [id, missing])

  usePrefetch(all !== undefined, planSheet.fetch)

  const open = id === null ? null : (found ?? known)
  const isBefore = before.some((each) => each.id === id)
  const waiting = open?.estado === 'pendiente' && open.creador_id !== userId && !isBefore
  return (
    <Dialog
      open={open !== null}
      title={open?.titulo ?? ''}
      wide
      addressed
      closeLabel={waiting ? text.close : undefined}
      onClose={close}
    >
      {open ? (
        <LazyChunk
          of={planSheet}
          actividad={open}
          userId={userId}
          before={isBefore}
          waiting={waiting}
          extras={<LazyChunk of={planExtras} actividad={open} userId={userId} closed={isBefore} />}
          note={notes.get(open.id)}
          unfolded={history === open.id}
          actions={actions}
          onClose={close}
        />
      ) : null}
    </Dialog>
  )
}

/** A dialog above the sheet has a history entry of its own, which is removed first. */
function afterDialogs(run: () => void): () => void {
  if (window.history.state?.dialog !== true) {
    run()
    return () => {}
  }
  window.addEventListener('popstate', run, { once: true })
  return () => window.removeEventListener('popstate', run)
}
