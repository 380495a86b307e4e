import type { ReactNode } from 'react'
import styles from './empty.module.css'

/** The symbol in the overlap of the two circles. */
const signs = {
  add: 'M36 18v8m-4-4h8',
  search: 'M38.2 24.2 41 27m-2-6.5a4 4 0 1 1-8 0 4 4 0 0 1 8 0',
  star: 'm36 16 1.7 4.3L42 22l-4.3 1.7L36 28l-1.7-4.3L30 22l4.3-1.7z',
  heart: 'm36 27.5-4.6-4.7a2.9 2.9 0 0 1 4.6-3.5 2.9 2.9 0 0 1 4.6 3.5z',
} as const

type EmptyProps = { sign: keyof typeof signs; children: ReactNode }

/** A drawing and a sentence where there is nothing yet. */
export function Empty({ sign, children }: EmptyProps) {
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
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <circle cx="28" cy="22" r="18" />
        <circle cx="44" cy="22" r="18" strokeDasharray="4 5" />
        <path d={signs[sign]} />
      </svg>
      {children}
    </div>
  )
}
