import { useEffect } from 'react'
import { whenIdle } from './when-idle.ts'

/** Prefetches lazy chunks once the page is rendered and the browser is idle. */
export function usePrefetch(ready: boolean, load: () => Promise<unknown>): void {
  useEffect(() => {
    // A failure shows where the code is used.
    if (ready) return whenIdle(() => void load().catch(() => undefined))
  }, [ready, load])
}
