import { activities } from '#lib/messages.ts'
import styles from './activity-list.module.css'

export function EmptyMonth() {
  return (
    <div className={styles.empty}>
      <svg
        className={styles.drawing}
        viewBox="0 0 72 44"
        width="96"
        height="59"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <circle cx="28" cy="22" r="18" />
        <circle cx="44" cy="22" r="18" strokeDasharray="4 5" />
        <path d="M36 18v8m-4-4h8" />
      </svg>
      <p>{activities.empty}</p>
      <p className={`no-print ${styles.hint}`}>{activities.emptyHint}</p>
    </div>
  )
}
