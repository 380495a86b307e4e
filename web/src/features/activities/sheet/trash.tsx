import { useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { shortDate } from '#lib/dates.ts'
import { product } from '#lib/messages.ts'
import { trash as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { activitiesKey, useRecover } from '../use-activities.ts'
import styles from './trash.module.css'
import { emptyTrash, listDeleted } from './trash-api.ts'

// A query below the list's key: invalidating the list reloads this too.
const trashKey = (userId: string) => [...activitiesKey(userId), 'papelera']

/** A server with the specification's schema alone has no trash. */
const NO_FUNCTION = 'PGRST202'

const isMissing = (error: unknown) => (error as { code?: string } | null)?.code === NO_FUNCTION

export function useTrash(userId: string) {
  const deleted = useQuery({
    queryKey: trashKey(userId),
    queryFn: ({ signal }) => listDeleted(signal),
    retry: (count, error) => count < 1 && !isMissing(error),
  })
  return { deleted, missing: isMissing(deleted.error) }
}

type TrashProps = { userId: string; deleted: ReturnType<typeof useTrash>['deleted'] }

/** What this person deleted in the last thirty days, each with a button to restore it. */
export function Trash({ userId, deleted }: TrashProps) {
  const recover = useRecover(userId)
  const readOnly = useReadOnly()
  if (deleted.isError)
    return (
      <p className={styles.line}>
        {product.notLoaded} <Button onClick={() => void deleted.refetch()}>{product.retry}</Button>
      </p>
    )
  return (
    <div className={styles.trash}>
      <p className={styles.line}>{deleted.data?.length === 0 ? text.empty : text.text}</p>
      <ul className={styles.list}>
        {deleted.data?.map(({ id, titulo, fecha }) => (
          <li key={id} className={styles.row}>
            <span className={styles.title}>
              <bdi>{titulo}</bdi> <span className={styles.date}>{shortDate(fecha)}</span>
            </span>
            <Button
              {...readOnly}
              busy={recover.isPending && recover.variables[0] === id}
              aria-label={`${text.recover}: ${titulo}`}
              icon={<RotateCcw />}
              onClick={() => recover.mutate([id])}
            >
              {text.recover}
            </Button>
          </li>
        ))}
      </ul>
      {deleted.data?.length ? <Clear queryKey={trashKey(userId)} /> : null}
    </div>
  )
}

function Clear({ queryKey }: { queryKey: readonly unknown[] }) {
  const cache = useQueryClient()
  const [asking, setAsking] = useState(false)
  const readOnly = useReadOnly()
  const clear = async () => {
    try {
      await emptyTrash()
      setAsking(false)
      notify.success(text.cleared)
    } catch (error) {
      notify.error(serverSentence(error))
    }
    void cache.invalidateQueries({ queryKey })
  }
  return (
    <>
      <Button
        {...readOnly}
        variant="quiet"
        className={styles.clear}
        icon={<Trash2 />}
        onClick={() => setAsking(true)}
      >
        {text.clear}
      </Button>
      <ConfirmDialog
        open={asking}
        question={text.clearQuestion}
        detail={text.clearText}
        onClose={() => setAsking(false)}
        confirm={
          <Button variant="danger" icon={<Trash2 />} onClick={() => void clear()}>
            {text.clear}
          </Button>
        }
      />
    </>
  )
}
