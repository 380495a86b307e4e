import { PersonSign, usePerson } from '#components/people.tsx'
import { activities } from '#lib/messages.ts'
import styles from './byline.module.css'

type BylineProps = { creatorId: string; mine: boolean }

/** Who proposed it. */
export function Byline({ creatorId, mine }: BylineProps) {
  const person = usePerson(creatorId)
  return (
    <p className={styles.byline}>
      {person ? <PersonSign person={person} small /> : null}
      <span>
        {mine || !person ? (
          activities[mine ? 'mine' : 'partners']
        ) : (
          <>
            {activities.proposedBy} <bdi>{person.nombre}</bdi>
          </>
        )}
      </span>
    </p>
  )
}
