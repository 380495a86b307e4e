import { useEffect } from 'react'
import { whenIdle } from './when-idle.ts'

type Connection = { saveData?: boolean }

/** Whether the user asks to save data: then nothing is prefetched. */
const savesData = (): boolean =>
  (navigator as Navigator & { connection?: Connection }).connection?.saveData === true

/** Prefetches lazy chunks once the page is rendered and the browser is idle. */
export function usePrefetch(ready: boolean, load: () => Promise<unknown>): void {
  useEffect(() => {
    // A failure shows where the code is used.
    if (ready && !savesData()) return whenIdle(() => void load().catch(() => undefined))
  }, [ready, load])
}
