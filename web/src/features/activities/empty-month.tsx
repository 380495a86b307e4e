import { activities } from '#lib/messages.ts'
import styles from './activity-list.module.css'

export function EmptyMonth() {
  return (
    <div className={styles.empty}>
      <svg
        className={styles.drawing}
        viewBox="0 0 72 48"
        width="96"
        height="64"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M4 40h64M14 40V26a10 10 0 0 1 20 0v14M38 40V26a10 10 0 0 1 20 0v14" />
        <path d="M24 16V8m-4 4h8M48 16V8m-4 4h8" opacity=".55" />
      </svg>
      <p>{activities.empty}</p>
      <p className={styles.hint}>{activities.emptyHint}</p>
    </div>
  )
}
