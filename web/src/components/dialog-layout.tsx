import type { ReactNode } from 'react'
import styles from './dialog.module.css'

/** The part between the title and the actions; it scrolls, they stay. */
export function DialogBody({ children }: { children: ReactNode }) {
  return <div className={styles.body}>{children}</div>
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>
}
