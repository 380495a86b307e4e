import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { photos as text } from '#lib/messages-later.ts'
import { photosLeft } from './api.ts'
import styles from './photos.module.css'
import { photosKey } from './photos-key.ts'
import { Thumbs } from './thumbs.tsx'
import { Viewer } from './viewer.tsx'

const nameOf = () => text.left

/** After a pairing ended, one's own photos of the other's plans, which are no longer visible. */
export default function PhotosLeft({ userId }: { userId: string }) {
  const cache = useQueryClient()
  const heading = useRef<HTMLHeadingElement>(null)
  const [shown, setShown] = useState<string | null>(null)
  const key = photosKey(userId)
  const { data: list = [] } = useQuery({
    queryKey: [...key, 'left'],
    queryFn: ({ signal }) => photosLeft(userId, signal),
    retry: 1,
  })
  if (list.length === 0) return null
  return (
    <section className={styles.photos} aria-label={text.leftTitle}>
      <h4 ref={heading} tabIndex={-1} className={styles.heading}>
        {text.leftTitle}
      </h4>
      <p className={styles.none}>{text.leftText}</p>
      <Thumbs list={list} nameOf={nameOf} onShow={setShown} />
      <Viewer
        list={list}
        shown={shown}
        userId={userId}
        closed
        nameOf={nameOf}
        onShow={setShown}
        onChanged={() => cache.invalidateQueries({ queryKey: key })}
        heading={heading}
      />
    </section>
  )
}
