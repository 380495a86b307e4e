import { createContext, type ReactNode, startTransition, use, useEffect, useState } from 'react'
import { whenIdle } from './when-idle.ts'

const Stage = createContext<HTMLElement | null>(null)

/** Where a rehearsal takes place; null in the page itself. What is on it touches nothing outside of it. */
export const useStage = () => use(Stage)

/** After this many the browser has compiled what is worth it. */
const TIMES = 3

type RehearsalProps = {
  /** The performance itself: nothing is rehearsed beside it. */
  paused: boolean
  children: ReactNode
}

/**
 * Makes, lays out and forgets `children` while the browser has nothing to do: what is shown for the first time takes
 * half as long again. The stage is in the document only within one task, so nobody sees it and no assistive technology
 * hears of it. A browser that does not tell when it is idle does without.
 */
export function Rehearsal({ paused, children }: RehearsalProps) {
  const [left, setLeft] = useState(TIMES)
  const [stage, setStage] = useState<HTMLElement | null>(null)

  useEffect(() => {
    if (paused || left === 0) return
    const stop = whenIdle(() => {
      if (!stage) return startTransition(() => setStage(document.createElement('div')))
      layOut(stage)
      setStage(null)
      setLeft(left - 1)
    })
    return () => stop?.()
  }, [paused, left, stage])

  return stage && !paused ? <Stage value={stage}>{children}</Stage> : null
}

function layOut(stage: HTMLElement): void {
  document.body.append(stage)
  stage.getBoundingClientRect()
  stage.remove()
}
