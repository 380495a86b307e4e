import { startTransition, useEffect, useState } from 'react'
import { whenIdle } from '#hooks/when-idle.ts'

/** The least height of an item with its gap, in pixels. */
const ITEM_PX = 100
const STEP = 8

const screenful = () => Math.ceil(window.innerHeight / ITEM_PX) + 1
/** The pause between portions (ms): time for a press or a key to be handled. */
const PAUSE_MS = 50

const nothing: readonly never[] = []

/**
 * Renders a long list in portions: one screenful at once, the rest when the browser is idle, so that a month of
 * hundreds opens at once and find-in-page soon finds all. Only another `key` starts small again: reloading the same
 * list keeps its length, and so the scroll position.
 */
export function useGrowingList<T>(
  list: readonly T[] | null,
  key: string,
  /** At least this many are wanted at once. */
  least: number,
): readonly T[] {
  const all = list ?? nothing
  const [grown, setGrown] = useState(() => ({ key, count: screenful() }))
  const count = Math.max(least, grown.key === key ? grown.count : screenful())

  useEffect(() => {
    if (count >= all.length) return
    const grow = () => startTransition(() => setGrown({ key, count: count + STEP }))
    let stop = () => {}
    const timer = window.setTimeout(() => {
      stop = whenIdle(grow)
    }, PAUSE_MS)
    return () => {
      window.clearTimeout(timer)
      stop()
    }
  }, [all.length, key, count])

  return all.length <= count ? all : all.slice(0, count)
}
