import { type ReactNode, useEffect, useRef } from 'react'
import { product } from '#lib/messages.ts'

/** Moves the focus to the page itself, when the focused element is about to be removed. */
export function focusPage(): void {
  document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
}

type PageProps = {
  /** Put before the product's name in the window's title; the landing page has none. */
  title?: string
  className?: string | undefined
  children: ReactNode
}

/** A route's main element: sets the window's title and takes focus when the route was reached inside the app. */
export function Page({ title, className, children }: PageProps) {
  const main = useRef<HTMLElement>(null)

  // Nothing to clean up: the next page writes its own title.
  useEffect(() => {
    document.title = title ? `${title} · ${product.name}` : product.name
  }, [title])

  // Nothing to clean up. On a first load the focus stays where the browser puts it.
  useEffect(() => {
    const state: unknown = window.history.state
    const moved = typeof state === 'object' && state !== null && 'idx' in state && state.idx !== 0
    if (moved && document.activeElement === document.body) main.current?.focus()
  }, [])

  return (
    <main ref={main} tabIndex={-1} className={className}>
      {children}
    </main>
  )
}
