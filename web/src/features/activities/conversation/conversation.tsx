import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleHelp, Frown, Heart, Laugh, PartyPopper, Smile, ThumbsUp, Trash2 } from 'lucide-react'
import { type ReactNode, use, useEffect, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Menu } from '#components/menu.tsx'
import { People, PersonSign, usePerson } from '#components/people.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { clockOf, dateOf, shortDate } from '#lib/dates.ts'
import { deletion, product, conversation as words } from '#lib/messages.ts'
import { talk as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { LinkedText } from '../sheet/linked-text.tsx'
import { CommentForm } from './comment-form.tsx'
import { commentsKey } from './comments-key.ts'
import styles from './conversation.module.css'
import {
  type Comentario,
  comment,
  deleteComment,
  listComments,
  listReactions,
  markRead,
  type NewComment,
  type Reaccion,
  react,
  recoverComment,
} from './conversation-api.ts'
import { Conversations } from './conversations.tsx'

type ConversationProps = {
  plan: string
  userId: string
  /** With a former partner: comments can be read but not added. */
  closed: boolean
}

/** The comments on a plan, and the form for a new one. */
export default function Conversation({ plan, userId, closed }: ConversationProps) {
  const key = [...commentsKey(userId), plan]
  const comments = useQuery({
    queryKey: [...key, 'comentarios'],
    queryFn: ({ signal }) => listComments(plan, signal),
    retry: 1,
  })
  useReading(plan, userId, !closed && comments.data !== undefined)
  const outbox = useOutbox(plan, userId)
  if (comments.isError)
    return (
      <p className={styles.failed}>
        {product.notLoaded} <Button onClick={() => void comments.refetch()}>{product.retry}</Button>
      </p>
    )
  const sent = new Set(comments.data?.map(({ id }) => id))
  const waiting = outbox.list.filter(({ id }) => !sent.has(id))
  return (
    <section className={styles.conversation} aria-label={text.title}>
      <Reactions plan={plan} userId={userId} closed={closed} />
      <div role="log" aria-label={text.title} className={styles.log}>
        {comments.data?.length === 0 && waiting.length === 0 ? (
          <p className={styles.none}>{text.none}</p>
        ) : null}
        {comments.data?.map((one) => (
          <Comment
            key={one.id}
            comment={one}
            mine={one.autor_id === userId}
            closed={closed}
            queryKey={key}
          />
        ))}
        {waiting.map((one) => (
          <div key={one.id} className={`${styles.comment} ${styles.mine}`}>
            <p className={styles.text} dir="auto">
              {one.texto}
            </p>
            {one.failed ? (
              <p className={styles.failed}>
                {text.notSent} <Button onClick={() => outbox.send(one)}>{product.retry}</Button>
              </p>
            ) : null}
          </div>
        ))}
      </div>
      {closed ? null : (
        <CommentForm
          label={text.write}
          submit={text.send}
          onSend={(texto) => outbox.send({ id: randomId(), texto })}
        />
      )}
    </section>
  )
}

/** Marks the comments on the screen as read. */
function useReading(plan: string, userId: string, shown: boolean) {
  const cache = useQueryClient()
  const unread = use(Conversations)[plan]?.sin_leer ?? 0
  const readOnly = useReadOnly()
  const free = readOnly.title === undefined

  // Nothing to clean up: what was read stays read, and a failure is tried with the next comment.
  useEffect(() => {
    if (!shown || unread === 0 || !free) return
    markRead(plan)
      .then(() => cache.invalidateQueries({ queryKey: [...commentsKey(userId), 'resumen'] }))
      .catch(() => undefined)
  }, [plan, userId, shown, unread, free, cache])
}

type Outgoing = NewComment & { failed?: boolean }

/** A comment written here that is not in the list yet. A comment with the same id is the same one. */
function useOutbox(plan: string, userId: string) {
  const cache = useQueryClient()
  const [list, setList] = useState<readonly Outgoing[]>([])
  const put = (one: Outgoing) =>
    setList((before) => [...before.filter(({ id }) => id !== one.id), one])
  const send = async ({ id, texto }: Outgoing) => {
    put({ id, texto })
    try {
      await comment(plan, { id, texto })
      await cache.invalidateQueries({ queryKey: commentsKey(userId) })
    } catch (error) {
      put({ id, texto, failed: true })
      notify.error(serverSentence(error))
    }
  }
  return { list, send: (one: Outgoing) => void send(one) }
}

type CommentProps = {
  comment: Comentario
  mine: boolean
  closed: boolean
  queryKey: readonly unknown[]
}

function Comment({ comment: one, mine, closed, queryKey }: CommentProps) {
  const cache = useQueryClient()
  const person = usePerson(one.autor_id)
  const readOnly = useReadOnly()
  const shared = {
    onError: (error: Error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  }
  const recover = useMutation({
    mutationFn: () => recoverComment(one.id),
    onSuccess: () => notify.success(text.recovered),
    ...shared,
  })
  const remove = useMutation({
    mutationFn: () => deleteComment(one.id),
    onSuccess: () => notify.undoable(text.removed, deletion.undo, recover.mutate),
    ...shared,
  })
  const name = person?.nombre ?? words.partner
  const at = new Date(one.creado_en)
  return (
    <div className={`${styles.comment} ${mine ? styles.mine : ''}`}>
      <p className={styles.author}>
        {person ? <PersonSign person={person} small /> : null}
        <bdi>{one.motivo ? text.reasonBy(name) : name}</bdi>
        <time dateTime={one.creado_en}>{`${shortDate(dateOf(at))}, ${clockOf(at)}`}</time>
        {mine && !closed ? (
          <Button
            {...readOnly}
            variant="quiet"
            className={styles.remove}
            aria-label={`${text.remove}: ${one.texto.slice(0, 60)}`}
            title={readOnly.title ?? text.remove}
            busy={remove.isPending}
            icon={<Trash2 />}
            onClick={() => remove.mutate()}
          />
        ) : null}
      </p>
      <p className={styles.text} dir="auto">
        <LinkedText text={one.texto} />
      </p>
    </div>
  )
}

const signs: Record<Reaccion['cual'], ReactNode> = {
  me_encanta: <Heart />,
  que_ganas: <PartyPopper />,
  que_risa: <Laugh />,
  de_acuerdo: <ThumbsUp />,
  no_lo_se: <CircleHelp />,
  que_pena: <Frown />,
}

const KINDS = Object.keys(text.reactions) as Reaccion['cual'][]

function Reactions({ plan, userId, closed }: ConversationProps) {
  const cache = useQueryClient()
  const people = use(People)
  const readOnly = useReadOnly()
  const queryKey = [...commentsKey(userId), plan, 'reacciones']
  const given = useQuery({
    queryKey,
    queryFn: ({ signal }) => listReactions(plan, signal),
    retry: 1,
  })
  const choose = useMutation({
    mutationFn: (cual: Reaccion['cual']) => react(plan, cual),
    onError: (error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  })
  const nameOf = (id: string) => people.find((person) => person.id === id)?.nombre ?? words.partner
  return (
    <div className={styles.reactions}>
      {given.data?.map(({ persona_id, cual }) => (
        <p key={persona_id} className={styles.reaction}>
          {signs[cual]}
          {text.reactions[cual]}
          <bdi className={styles.who}>{nameOf(persona_id)}</bdi>
        </p>
      ))}
      {closed ? null : (
        <Menu
          label={text.react}
          worded
          icon={<Smile />}
          items={KINDS.map((cual) => ({
            label: text.reactions[cual],
            icon: signs[cual],
            off: readOnly.title,
            run: () => choose.mutate(cual),
          }))}
        />
      )}
    </div>
  )
}
