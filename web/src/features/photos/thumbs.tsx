import type { Photo } from './api.ts'
import styles from './photos.module.css'
import { thumbId } from './viewer.tsx'

type ThumbsProps = {
  list: readonly Photo[]
  nameOf: (photo: Photo) => string
  onShow: (id: string) => void
}

/** Small pictures, each of which opens the large one. */
export function Thumbs({ list, nameOf, onShow }: ThumbsProps) {
  if (list.length === 0) return null
  return (
    <ul className={styles.grid}>
      {list.map((photo) => (
        <li key={photo.id}>
          <button
            type="button"
            id={thumbId(photo.id)}
            className={styles.small}
            aria-haspopup="dialog"
            onClick={() => onShow(photo.id)}
          >
            {/* The name is shown if the picture fails to load. */}
            <img src={photo.small ?? undefined} alt={nameOf(photo)} loading="lazy" />
          </button>
        </li>
      ))}
    </ul>
  )
}
