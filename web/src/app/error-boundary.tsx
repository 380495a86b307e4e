import { Component, type ReactNode } from 'react'
import { Button } from '#components/button.tsx'
import { ConfigurationError } from '#lib/configuration.ts'
import { product } from '#lib/messages.ts'
import styles from './error-boundary.module.css'

type State = { error: Error | null }

/** The root error boundary: a message and a link home. A missing configuration has its own message. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: Error): State {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <main className={styles.crash}>
        <p role="alert">{error instanceof ConfigurationError ? error.message : product.crashed}</p>
        <Button onClick={() => window.location.reload()}>{product.reload}</Button>
      </main>
    )
  }
}
