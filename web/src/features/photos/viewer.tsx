import { ChevronLeft, ChevronRight, Pencil, Trash2 } from 'lucide-react'
import { type RefObject, type TouchEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '#components/button.tsx'
import { Dialog } from '#components/dialog.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { FIRST_FOCUS } from '#components/dialog-marks.ts'
import { Field } from '#components/field.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { activities, deletion, plan as planText } from '#lib/messages.ts'
import { photos as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { plainLine } from '#lib/plain-text.ts'
import { deletePhoto, describe, type Photo, recoverPhoto } from './api.ts'
import styles from './photos.module.css'

type ViewerProps = {
  list: readonly Photo[]
  /** The id of the one that is looked at. */
  shown: string | null
  userId: string
  closed: boolean
  nameOf: (photo: Photo) => string
  onShow: (id: string | null) => void
  onChanged: () => Promise<void>
  /** Where the focus goes when the photo is gone. */
  heading: RefObject<HTMLElement | null>
}

export const thumbId = (id: string): string => `recuerdo-${id}`

/** A shorter movement (px) is a tap, not a swipe. */
const SWIPE_PX = 48

/** One photo, as large as fits; arrow keys, buttons and swipes lead to the others. */
export function Viewer(props: ViewerProps) {
  const { list, shown, userId, closed, nameOf, onShow, onChanged, heading } = props
  const readOnly = useReadOnly()
  const [writing, setWriting] = useState(false)
  const from = useRef<number | null>(null)
  const at = list.findIndex(({ id }) => id === shown)
  const photo = list[at]
  const close = () => {
    setWriting(false)
    onShow(null)
  }
  const step = (by: number) => {
    const next = list[at + by]
    if (next && !writing) onShow(next.id)
  }
  const onKeyDown = useEffectEvent(({ key, target }: KeyboardEvent) => {
    if (target instanceof HTMLInputElement) return
    if (key === 'ArrowLeft') step(-1)
    else if (key === 'ArrowRight') step(1)
    else if (key === 'Home') step(-at)
    else if (key === 'End') step(list.length - 1 - at)
  })
  const open = photo !== undefined
  useEffect(() => {
    if (!open) return
    const hear = (event: KeyboardEvent) => onKeyDown(event)
    document.addEventListener('keydown', hear)
    return () => document.removeEventListener('keydown', hear)
  }, [open])
  const onTouchStart = ({ touches }: TouchEvent) => {
    from.current = touches.length === 1 ? (touches[0]?.clientX ?? null) : null
  }
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const way = from.current === null ? 0 : (changedTouches[0]?.clientX ?? 0) - from.current
    from.current = null
    if (Math.abs(way) >= SWIPE_PX) step(way < 0 ? 1 : -1)
  }
  const attempt = async (call: Promise<void>) => {
    try {
      await call
    } catch (error) {
      notify.error(serverSentence(error))
    }
    await onChanged()
  }
  const remove = async (gone: Photo) => {
    onShow((list[at + 1] ?? list[at - 1])?.id ?? null)
    try {
      await deletePhoto(gone.id)
      notify.undoable(text.deleted, deletion.undo, () => void attempt(recoverPhoto(gone.id)))
    } catch (error) {
      notify.error(serverSentence(error))
    }
    await onChanged()
  }
  const last = useRef('')
  if (photo) last.current = photo.id
  const focusBack = () => {
    const place = document.getElementById(thumbId(last.current)) ?? heading.current
    place?.focus()
    return place !== null
  }
  if (!photo) return null
  const own = photo.autor_id === userId
  return (
    <Dialog open title={nameOf(photo)} wide onClose={close} onFocusBack={focusBack}>
      <DialogBody>
        {/* Swipes and arrow keys have buttons as an alternative. */}
        <div className={styles.viewer} onTouchStart={onTouchStart} onTouchEnd={onTouchEnd}>
          {photo.whole ? (
            <img
              key={photo.id}
              className={styles.whole}
              src={photo.whole}
              alt={photo.texto ?? nameOf(photo)}
              width={photo.ancho}
              height={photo.alto}
            />
          ) : (
            <p>{text.gone}</p>
          )}
          <div className={styles.steps}>
            <Button
              aria-label={text.previous}
              aria-disabled={at === 0 || undefined}
              icon={<ChevronLeft />}
              onClick={() => step(-1)}
            />
            <p role="status">{text.of(at + 1, list.length)}</p>
            <Button
              {...FIRST_FOCUS}
              aria-label={text.next}
              aria-disabled={at === list.length - 1 || undefined}
              icon={<ChevronRight />}
              onClick={() => step(1)}
            />
          </div>
        </div>
        {writing ? (
          <Caption
            photo={photo}
            onDone={(texto) => {
              setWriting(false)
              if (texto !== null) void attempt(describe(photo.id, texto))
            }}
          />
        ) : photo.texto ? (
          <p dir="auto">{photo.texto}</p>
        ) : null}
      </DialogBody>
      <DialogActions>
        {own && !writing ? (
          <>
            {closed ? null : (
              <Button
                {...readOnly}
                variant="quiet"
                icon={<Pencil />}
                onClick={() => setWriting(true)}
              >
                {photo.texto ? text.redescribe : text.describe}
              </Button>
            )}
            <Button
              {...readOnly}
              variant="reject"
              icon={<Trash2 />}
              onClick={() => void remove(photo)}
            >
              {activities.remove}
            </Button>
          </>
        ) : null}
        <Button onClick={close}>{planText.close}</Button>
      </DialogActions>
    </Dialog>
  )
}

type CaptionProps = { photo: Photo; onDone: (texto: string | null) => void }

const focusOnce = (input: HTMLInputElement | null) => input?.focus()

function Caption({ photo, onDone }: CaptionProps) {
  const [texto, setTexto] = useState(photo.texto ?? '')
  return (
    <form
      noValidate
      className={styles.caption}
      onSubmit={(event) => {
        event.preventDefault()
        onDone(plainLine(texto))
      }}
    >
      <Field label={text.caption}>
        {(control) => (
          <input
            {...control}
            {...FIRST_FOCUS}
            ref={focusOnce}
            dir="auto"
            maxLength={200}
            value={texto}
            onChange={(event) => setTexto(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit">{text.save}</Button>
    </form>
  )
}
