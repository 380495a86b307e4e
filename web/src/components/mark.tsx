import type { Estado } from '#lib/database.ts'
import styles from './mark.module.css'

/** A status icon with a shape besides its colour: ring, disc or diamond. Decorative: a label is beside it. */
export function Mark({ estado, className = '' }: { estado: Estado; className?: string }) {
  return (
    <span
      className={`${styles.mark} ${styles[estado]} ${className}`}
      data-estado={estado}
      aria-hidden="true"
    />
  )
}
