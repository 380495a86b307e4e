import { useQuery } from '@tanstack/react-query'
import { use, useEffect, useRef } from 'react'
import { People } from '#components/people.tsx'
import { dateOf, shortDate } from '#lib/dates.ts'
import { plan as words } from '#lib/messages.ts'
import { activitiesKey } from '../use-activities.ts'
import styles from './history.module.css'
import { sentencesOf } from './history-words.ts'
import { listHistory } from './trash-api.ts'

type HistoryProps = {
  plan: string
  userId: string
  /** It is what the sheet was opened for: it stands open and takes the focus. */
  unfolded: boolean
}

/** What happened to a plan, the last first; nothing while it is not known. */
export function History({ plan, userId, unfolded }: HistoryProps) {
  const people = use(People)
  // Under the list's key: what reloads the list reloads this too.
  const past = useQuery({
    queryKey: [...activitiesKey(userId), 'historial', plan],
    queryFn: ({ signal }) => listHistory(plan, signal),
    retry: 1,
  })
  const fold = useRef<HTMLDetailsElement>(null)
  const known = Boolean(past.data?.length)

  // Nothing to clean up: whoever folds it keeps it folded.
  useEffect(() => {
    if (!unfolded || !known || !fold.current) return
    fold.current.open = true
    fold.current.querySelector('summary')?.focus()
  }, [unfolded, known])

  if (!past.data?.length) return null
  return (
    <details ref={fold} className={styles.history}>
      <summary className={styles.summary}>{words.history}</summary>
      <ol className={styles.list}>
        {past.data.toReversed().map((row) => (
          <li key={row.id} className={styles.row}>
            <time dateTime={row.en} className={styles.when}>
              {shortDate(dateOf(new Date(row.en)))}
            </time>
            <div>
              {sentencesOf(row, userId, people).map((sentence) => (
                <p key={sentence} dir="auto">
                  {sentence}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </details>
  )
}
