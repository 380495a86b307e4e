import { startTransition, useEffect, useState } from 'react'

/** Runs it when the screen has been painted; gives the way to take it back. */
export function afterPaint(run: () => void): () => void {
  let timer: number | undefined
  const frame = requestAnimationFrame(() => {
    timer = window.setTimeout(run)
  })
  return () => {
    cancelAnimationFrame(frame)
    window.clearTimeout(timer)
  }
}

/**
 * What it was (`first` at the beginning), until the screen shows whatever else changed with it: `useDeferredValue`
 * begins at once, and its work would come between a press and the paint that answers it.
 */
export function useAfterPaint<T>(value: T, first = value): T {
  const [shown, setShown] = useState(first)

  useEffect(() => {
    if (Object.is(value, shown)) return
    return afterPaint(() => startTransition(() => setShown(value)))
  }, [value, shown])

  return shown
}
