import { startTransition, useEffect, useState } from 'react'

/** Runs a function after the next paint; returns a function that cancels it. */
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
 * The previous value (at first `first`) until the rendering of other changes has been painted. `useDeferredValue`
 * starts its rendering at once, which would delay the paint that answers a press.
 */
export function useAfterPaint<T>(value: T, first = value): T {
  const [shown, setShown] = useState(first)

  useEffect(() => {
    if (Object.is(value, shown)) return
    return afterPaint(() => startTransition(() => setShown(value)))
  }, [value, shown])

  return shown
}
