import type { Estado } from '#lib/database.ts'
import styles from './mark.module.css'

/** A status as a shape besides its colour: ring, disc or diamond. Decoration: a word always says the same. */
export function Mark({ estado, className = '' }: { estado: Estado; className?: string }) {
  return (
    <span
      className={`${styles.mark} ${styles[estado]} ${className}`}
      data-estado={estado}
      aria-hidden="true"
    />
  )
}
