import { useQuery } from '@tanstack/react-query'
import { use } from 'react'
import { People } from '#components/people.tsx'
import { dateOf, shortDate } from '#lib/dates.ts'
import { history as text } from '#lib/messages-later.ts'
import styles from './history.module.css'
import { sentencesOf } from './history-words.ts'
import { listHistory } from './trash-api.ts'
import { activitiesKey } from './use-activities.ts'

type HistoryProps = { plan: string; userId: string }

/** What happened to a plan, the last first; nothing while it is not known. */
export function History({ plan, userId }: HistoryProps) {
  const people = use(People)
  // Under the list's key: what reloads the list reloads this too.
  const past = useQuery({
    queryKey: [...activitiesKey(userId), 'historial', plan],
    queryFn: ({ signal }) => listHistory(plan, signal),
    retry: 1,
  })
  if (!past.data?.length) return null
  return (
    <details className={styles.history}>
      <summary className={styles.summary}>{text.title}</summary>
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
