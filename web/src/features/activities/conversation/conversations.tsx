import { createContext, use } from 'react'
import { usePerson } from '#components/people.tsx'
import type { Conversaciones } from '#lib/database.ts'
import { conversation as text } from '#lib/messages.ts'
import styles from './conversations.module.css'

/** The number of comments on each plan; nothing while it is unknown. */
export const Conversations = createContext<Conversaciones>({})

type SaidProps = { plan: string; title: string; onOpen: () => void }

/** The number of comments on a plan, on a button that opens them; nothing without comments. */
export function Said({ plan, title, onOpen }: SaidProps) {
  const said = use(Conversations)[plan]
  if (!said) return null
  const { total, sin_leer } = said
  const words = sin_leer > 0 ? `${text.total(total)}, ${text.unread(sin_leer)}` : text.total(total)
  return (
    <button
      type="button"
      className={styles.said}
      aria-label={`${words}: ${title}`}
      onClick={onOpen}
    >
      <span className={styles.total}>{text.total(total)}</span>
      {sin_leer > 0 ? <strong className={styles.unread}>{text.unread(sin_leer)}</strong> : null}
    </button>
  )
}

/** The reason given for rejecting a plan, if any. */
export function Reason({ plan, userId }: { plan: string; userId: string }) {
  const reason = use(Conversations)[plan]?.motivo
  const person = usePerson(reason?.autor_id ?? '')
  if (!reason) return null
  const mine = reason.autor_id === userId
  return (
    <p className={styles.reason}>
      {mine ? text.myReason : text.reasonOf}
      {mine ? null : (
        <>
          {' '}
          <bdi>{person?.nombre ?? text.partner}</bdi>
        </>
      )}
      {': '}
      <span dir="auto">{reason.texto}</span>
    </p>
  )
}
