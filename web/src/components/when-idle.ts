/** Runs it once the browser has nothing else to do, and gives the way to take it back; null where no browser tells. */
export function whenIdle(run: () => void): (() => void) | null {
  if (!('requestIdleCallback' in window)) return null
  const asked = window.requestIdleCallback(run)
  return () => window.cancelIdleCallback(asked)
}
