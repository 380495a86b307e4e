import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ImagePlus, RotateCw, X } from 'lucide-react'
import { use, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '#components/button.tsx'
import { Empty } from '#components/empty.tsx'
import { People } from '#components/people.tsx'
import { useOnline } from '#hooks/use-online.ts'
import { pairing, product } from '#lib/messages.ts'
import { photos as text } from '#lib/messages-later.ts'
import { notify } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { listPhotos, type Photo } from './api.ts'
import styles from './photos.module.css'
import { photosKey } from './photos-key.ts'
import { shrink } from './shrink.ts'
import { Thumbs } from './thumbs.tsx'
import { add, again, giveUp, hasRoomFor, resume, type Upload, uploads } from './uploads.ts'
import { Viewer } from './viewer.tsx'

/** Reload interval (ms): the files' URLs expire after an hour. */
const FRESH_MS = 50 * 60_000

type PhotosProps = {
  plan: string
  title: string
  userId: string
  /** Of a former couple: read-only. */
  closed: boolean
}

/** A plan's photos: both see them, each adds and deletes their own. */
export default function Photos({ plan, title, userId, closed }: PhotosProps) {
  const cache = useQueryClient()
  const people = use(People)
  const online = useOnline()
  const heading = useRef<HTMLHeadingElement>(null)
  const [shown, setShown] = useState<string | null>(null)
  const key = photosKey(userId)
  const list = useQuery({
    queryKey: [...key, plan],
    queryFn: ({ signal }) => listPhotos(plan, signal),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    retry: 1,
  })
  const reload = () => cache.invalidateQueries({ queryKey: key })

  // biome-ignore lint/correctness/useExhaustiveDependencies: whose photos they are decides
  useEffect(() => {
    void resume(userId, reload)
  }, [userId])

  const nameOf = ({ autor_id }: Photo) =>
    autor_id === userId
      ? text.yours(title)
      : text.alt(people.find(({ id }) => id === autor_id)?.nombre ?? pairing.somebody, title)
  // Without a partner there are none, and a former couple's are read-only.
  const open = !closed && people.length > 1
  const found = list.data ?? []
  if (!open && found.length === 0) return null
  return (
    <section className={styles.photos} aria-label={text.title}>
      <h3 ref={heading} tabIndex={-1} className={styles.heading}>
        {text.title}
      </h3>
      {list.isError && online ? (
        <p>
          {product.notLoaded} <Button onClick={() => void list.refetch()}>{product.retry}</Button>
        </p>
      ) : null}
      {list.data?.length === 0 ? (
        <Empty sign="heart">
          <p>{text.none}</p>
        </Empty>
      ) : null}
      <Thumbs list={found} nameOf={nameOf} onShow={setShown} />
      {open ? <Adding plan={plan} userId={userId} /> : null}
      <Viewer
        list={found}
        shown={shown}
        userId={userId}
        closed={closed}
        nameOf={nameOf}
        onShow={setShown}
        onChanged={reload}
        heading={heading}
      />
    </section>
  )
}

/** The button to add photos, and the running uploads. */
function Adding({ plan, userId }: { plan: string; userId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const under = useSyncExternalStore(uploads.subscribe, uploads.now)

  const take = async (files: readonly File[]) => {
    setBusy(true)
    for (const file of files) {
      try {
        const shot = { ...(await shrink(file)), id: randomId(), plan }
        if (!hasRoomFor(shot)) {
          notify.error(text.full)
          break
        }
        await add({ ...shot, userId, since: Date.now() })
      } catch {
        notify.error(text.unreadable)
      }
    }
    setBusy(false)
  }

  const here = under.filter((upload) => upload.plan === plan)
  return (
    <>
      <Progress list={here} />
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label={text.add}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          // The same file may be chosen again.
          event.target.value = ''
          void take(files)
        }}
      />
      <div>
        <Button icon={<ImagePlus />} busy={busy} onClick={() => input.current?.click()}>
          {text.add}
        </Button>
      </div>
    </>
  )
}

function Progress({ list }: { list: readonly Upload[] }) {
  const online = useOnline()
  const failed = list.filter(({ state }) => state === 'failed')
  const moving = list.length - failed.length
  const part = list.reduce((sum, upload) => sum + upload.part, 0)
  return (
    <>
      <div role="status" className={styles.progress}>
        {moving > 0 ? (
          <>
            {online ? text.sending(moving) : text.waiting(moving)}
            {online ? (
              <progress value={part} max={list.length} aria-label={text.sending(moving)} />
            ) : null}
          </>
        ) : null}
      </div>
      {failed.map(({ id, reason }) => (
        <p key={id} role="alert" className={styles.failed}>
          <span>{reason ?? text.failed}</span>
          <Button icon={<RotateCw />} onClick={() => again(id)}>
            {product.retry}
          </Button>
          <Button variant="quiet" icon={<X />} onClick={() => giveUp(id)}>
            {text.discard}
          </Button>
        </p>
      ))}
    </>
  )
}
