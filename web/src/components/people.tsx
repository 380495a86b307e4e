import { createContext, use } from 'react'
import type { Person } from '#lib/people.ts'
import styles from './people.module.css'

/** The two whose plans are shown, the user first. */
export const People = createContext<readonly Person[]>([])

/** Somebody of the couple; undefined for anybody else, and while the partner's name is unknown. */
export function usePerson(id: string): Person | undefined {
  return use(People).find((person) => person.id === id)
}

/** An avatar: initials on the person's colour. Decorative (`aria-hidden`): the name is beside it. */
export function PersonSign({ person, small = false }: { person: Person; small?: boolean }) {
  return (
    <span
      className={`${styles.sign} ${small ? styles.small : ''}`}
      data-persona={person.tone}
      aria-hidden="true"
    >
      {person.initials}
    </span>
  )
}
