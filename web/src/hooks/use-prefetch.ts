import { useEffect } from 'react'
import { whenIdle } from './when-idle.ts'

/** Fetches code that a press may ask for, once what is seen first is there and the browser is free. */
export function usePrefetch(ready: boolean, load: () => Promise<unknown>): void {
  useEffect(() => {
    // A failure shows where the code is used.
    if (ready) return whenIdle(() => void load().catch(() => undefined))
  }, [ready, load])
}
