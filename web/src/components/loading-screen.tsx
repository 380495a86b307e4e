import type { ReactNode } from 'react'
import { product } from '#lib/messages.ts'
import styles from './loading-screen.module.css'
import { Spinner } from './spinner.tsx'

/** The specification's «Cargando...», painted only after 150 ms so that quick loads do not flash. */
export function LoadingScreen({ children }: { children?: ReactNode }) {
  return (
    <main className={styles.screen}>
      <h1 className="sr-only">{product.name}</h1>
      <p role="status" className={styles.status}>
        <Spinner />
        {product.loading}
      </p>
      {children}
    </main>
  )
}
