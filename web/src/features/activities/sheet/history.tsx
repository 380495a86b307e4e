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
  /** The sheet was opened for its history, which is expanded and focused. */
  unfolded: boolean
}

/** A plan's history, newest first; nothing while it loads. */
export function History({ plan, userId, unfolded }: HistoryProps) {
  const people = use(People)
  // A query below the list's key: invalidating the list reloads this too.
  const past = useQuery({
    queryKey: [...activitiesKey(userId), 'historial', plan],
    queryFn: ({ signal }) => listHistory(plan, signal),
    retry: 1,
  })
  const fold = useRef<HTMLDetailsElement>(null)
  const known = Boolean(past.data?.length)

  // Nothing to clean up: it stays collapsed if the user collapses it.
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
