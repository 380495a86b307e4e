const LATEST_MS = 1000

/** Runs a function when the browser is idle, after a second at the latest; returns a function that cancels it. */
export function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run)
    return () => clearTimeout(timer)
  }
  const asked = window.requestIdleCallback(run, { timeout: LATEST_MS })
  return () => window.cancelIdleCallback(asked)
}
