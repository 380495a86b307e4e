import { type ComponentType, useEffect, useRef, useState } from 'react'
import { product } from '#lib/messages.ts'
import { Button } from './button.tsx'
import { firstFocusIn } from './dialog-marks.ts'
import styles from './lazy-chunk.module.css'
import { Spinner } from './spinner.tsx'

type Chunk<Props> = {
  /** Its component, once it is loaded. */
  component: () => ComponentType<Props> | null
  fetch: () => Promise<void>
}

/** A lazily loaded module (`import()`), loaded at its first use or by `fetch` before. */
export function chunk<Props>(load: () => Promise<{ default: ComponentType<Props> }>): Chunk<Props> {
  let component: ComponentType<Props> | null = null
  return {
    component: () => component,
    fetch: async () => {
      component ??= (await load()).default
    },
  }
}

/**
 * A chunk's component: a status while it loads, a message with a button to retry if it fails. No error reaches the
 * error boundary.
 */
export function LazyChunk<Props extends object>(props: Props & { of: Chunk<Props> }) {
  const { of, ...rest } = props
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
  const place = useRef<HTMLDivElement>(null)
  const dialog = useRef<HTMLElement>(null)

  useEffect(() => {
    if (state !== 'loading' || of.component()) return
    let current = true
    dialog.current = place.current?.closest<HTMLElement>('[role=dialog]') ?? null
    of.fetch().then(
      () => current && setState('loaded'),
      () => current && setState('failed'),
    )
    return () => {
      current = false
    }
  }, [of, state])

  // Nothing to clean up: the dialog itself has the focus because it was empty; now its first control takes it.
  useEffect(() => {
    if (state === 'loaded' && dialog.current) focusIn(dialog.current)
  }, [state])

  const Component = of.component()
  if (Component) return <Component {...(rest as unknown as Props)} />
  return (
    <div ref={place} className={styles.waiting}>
      {state === 'failed' ? (
        <>
          <p role="alert">{product.notLoaded}</p>
          <Button onClick={() => setState('loading')}>{product.retry}</Button>
        </>
      ) : (
        <p role="status" className={styles.status}>
          <Spinner />
          {product.loading}
        </p>
      )}
    </div>
  )
}

/** The same without a fallback: renders nothing until loaded, and retries a failed load once the network is back. */
export function QuietLazyChunk<Props extends object>(props: Props & { of: Chunk<Props> }) {
  const { of, ...rest } = props
  const [, setLoaded] = useState(of.component() !== null)

  useEffect(() => {
    let current = true
    const ask = () =>
      of.fetch().then(
        () => current && setLoaded(true),
        () => undefined,
      )
    void ask()
    window.addEventListener('online', ask)
    return () => {
      current = false
      window.removeEventListener('online', ask)
    }
  }, [of])

  const Component = of.component()
  return Component ? <Component {...(rest as unknown as Props)} /> : null
}

function focusIn(dialog: HTMLElement): void {
  const { activeElement } = document
  if (activeElement !== dialog && activeElement !== document.body) return
  const first = firstFocusIn(dialog) ?? dialog.querySelector<HTMLElement>('input, button')
  first?.focus()
  if (first instanceof HTMLInputElement) first.select()
}
