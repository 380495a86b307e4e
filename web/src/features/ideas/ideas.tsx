import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarPlus, Heart, Lightbulb, Pencil, Trash2 } from 'lucide-react'
import { use, useEffect, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog, Dialog } from '#components/dialog.tsx'
import { Empty } from '#components/empty.tsx'
import { People, PersonSign, usePerson } from '#components/people.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { activities, editing, product } from '#lib/messages.ts'
import { ideas as text } from '#lib/messages-later.ts'
import { formatEuros } from '#lib/money.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import {
  deleteIdea,
  type Idea,
  type IdeaDraft,
  ideasKey,
  like,
  listIdeas,
  saveIdea,
} from './api.ts'
import { IdeaForm } from './idea-form.tsx'
import styles from './ideas.module.css'

type IdeasProps = {
  userId: string
  /** The couple's id, or one's own without a partner; ideas with another one are of a former couple. */
  common: string
  /** Makes a proposal of it. */
  onDate: (idea: Idea) => void
}

const blank = (): IdeaDraft => ({ id: randomId(), titulo: '', nota: null, presupuesto: null })

/** Ideas without a date. One that became a plan is hidden while the plan exists. */
export default function Ideas({ userId, common, onDate }: IdeasProps) {
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const [edited, setEdited] = useState<IdeaDraft | null>(null)
  const [asked, setAsked] = useState<Idea | null>(null)
  const gone = useRef(false)
  const list = useQuery({
    queryKey: ideasKey(userId),
    queryFn: ({ signal }) => listIdeas(signal),
    retry: 1,
  })
  const save = useMutation({
    mutationFn: saveIdea,
    onSuccess: () => setEdited(null),
    onError: (error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: ideasKey(userId) }),
  })
  const remove = useMutation({
    mutationFn: deleteIdea,
    onMutate: () => {
      gone.current = false
    },
    onSuccess: () => {
      gone.current = true
    },
    onError: (error) => notify.error(serverSentence(error)),
    onSettled: () => {
      setAsked(null)
      return cache.invalidateQueries({ queryKey: ideasKey(userId) })
    },
  })
  const liked = useFocusAfterMove(list.data)
  const open = list.data?.filter(({ actividad_id }) => actividad_id === null) ?? []
  const shared = open.filter(({ pareja_id }) => pareja_id === common)
  const both = shared.filter(({ apetece }) => apetece.length > 1)
  const others = shared.filter(({ apetece }) => apetece.length < 2)
  const before = open.filter(({ pareja_id }) => pareja_id !== common)
  const items = (some: readonly Idea[]) => (
    <ul className={styles.list}>
      {some.map((idea) => (
        <Item
          key={idea.id}
          idea={idea}
          userId={userId}
          closed={idea.pareja_id !== common}
          onDate={onDate}
          onEdit={setEdited}
          onLike={() => {
            liked.current = idea.id
          }}
          onRemove={() => setAsked(idea)}
        />
      ))}
    </ul>
  )
  return (
    <section className={styles.ideas} aria-label={text.title}>
      <Button
        {...readOnly}
        id={ADD_ID}
        className={styles.add}
        icon={<Lightbulb />}
        onClick={() => setEdited(blank())}
      >
        {text.add}
      </Button>
      {list.isError ? (
        <p>
          {product.notLoaded} <Button onClick={() => void list.refetch()}>{product.retry}</Button>
        </p>
      ) : null}
      {list.data && shared.length === 0 ? (
        <Empty sign="star">
          <p>{text.none}</p>
        </Empty>
      ) : null}
      {both.length > 0 ? (
        <>
          <h2 className={styles.heading}>{text.both}</h2>
          {items(both)}
        </>
      ) : null}
      {both.length > 0 && others.length > 0 ? (
        <h2 className={styles.heading}>{text.others}</h2>
      ) : null}
      {others.length > 0 ? items(others) : null}
      {before.length > 0 ? (
        <details>
          <summary className={styles.summary}>{activities.before(before.length)}</summary>
          {items(before)}
        </details>
      ) : null}
      <Dialog
        open={edited !== null}
        title={list.data?.some(({ id }) => id === edited?.id) ? text.edit : text.add}
        onClose={() => setEdited(null)}
      >
        {edited ? (
          <IdeaForm
            key={edited.id}
            idea={edited}
            busy={save.isPending}
            onSave={(idea) => save.mutate(idea)}
            onCancel={() => setEdited(null)}
          />
        ) : null}
      </Dialog>
      <ConfirmDialog
        open={asked !== null}
        question={text.removeQuestion}
        detail={asked?.titulo ?? ''}
        onClose={() => setAsked(null)}
        onFocusBack={() => {
          if (gone.current) document.getElementById(ADD_ID)?.focus()
          return gone.current
        }}
        confirm={
          <Button
            variant="danger"
            busy={remove.isPending}
            icon={<Trash2 />}
            onClick={() => asked && remove.mutate(asked.id)}
          >
            {activities.remove}
          </Button>
        }
      />
    </section>
  )
}

const ADD_ID = 'idea-nueva'
const likeId = (id: string) => `me-apetece-${id}`

/** Liking an idea may move it to the other list; its button there gets the focus back. Set at the press. */
function useFocusAfterMove(list: readonly Idea[] | undefined) {
  const liked = useRef('')

  // Nothing to clean up: the focus moves once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the list that matters
  useEffect(() => {
    if (liked.current === '' || document.activeElement !== document.body) return
    document.getElementById(likeId(liked.current))?.focus()
    liked.current = ''
  }, [list])

  return liked
}

type ItemProps = {
  idea: Idea
  userId: string
  closed: boolean
  onDate: (idea: Idea) => void
  onEdit: (idea: IdeaDraft) => void
  onLike: () => void
  onRemove: () => void
}

function Item({ idea, userId, closed, onDate, onEdit, onLike, onRemove }: ItemProps) {
  const cache = useQueryClient()
  const readOnly = useReadOnly()
  const person = usePerson(idea.creador_id)
  const { id, titulo, nota, presupuesto, apetece } = idea
  const mine = idea.creador_id === userId
  const liked = apetece.includes(userId)
  const partner = use(People).find((person) => person.id !== userId && apetece.includes(person.id))
  const choose = useMutation({
    mutationFn: (si: boolean) => like(id, si),
    onMutate: onLike,
    onError: (error: Error) => notify.error(serverSentence(error)),
    onSettled: () => cache.invalidateQueries({ queryKey: ideasKey(userId) }),
  })
  return (
    <li>
      <article className={styles.idea} aria-label={titulo}>
        <h3 className={styles.title}>
          {person ? <PersonSign person={person} small /> : null}
          <span dir="auto">{titulo}</span>
          {presupuesto === null ? null : (
            <span className={styles.amount}>{formatEuros(presupuesto)}</span>
          )}
        </h3>
        {nota ? (
          <p className={styles.note} dir="auto">
            {nota}
          </p>
        ) : null}
        {partner && !liked ? (
          <p className={styles.wish}>
            {text.to} <bdi>{partner.nombre}</bdi> {text.likes}
          </p>
        ) : null}
        <div className={styles.buttons}>
          {closed ? null : (
            <>
              <Button
                {...readOnly}
                id={likeId(id)}
                aria-pressed={liked}
                aria-label={activities.named(text.like, titulo)}
                className={liked ? styles.liked : undefined}
                busy={choose.isPending}
                icon={<Heart />}
                onClick={() => choose.mutate(!liked)}
              >
                {text.like}
              </Button>
              <Button
                {...readOnly}
                aria-label={activities.named(text.date, titulo)}
                icon={<CalendarPlus />}
                onClick={() => onDate(idea)}
              >
                {text.date}
              </Button>
            </>
          )}
          {mine && !closed ? (
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={activities.named(editing.action, titulo)}
              icon={<Pencil />}
              onClick={() => onEdit(idea)}
            >
              {editing.action}
            </Button>
          ) : null}
          {mine ? (
            <Button
              {...readOnly}
              variant="quiet"
              aria-label={activities.named(activities.remove, titulo)}
              icon={<Trash2 />}
              onClick={onRemove}
            >
              {activities.remove}
            </Button>
          ) : null}
        </div>
      </article>
    </li>
  )
}
