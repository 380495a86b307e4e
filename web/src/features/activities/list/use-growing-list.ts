import { startTransition, useEffect, useState } from 'react'
import { whenIdle } from '#hooks/when-idle.ts'

/** Of one item with its gap, at the least. */
const ITEM_PX = 100
const STEP = 8

const screenful = () => Math.ceil(window.innerHeight / ITEM_PX) + 1
/** Long enough for a press or a key to come in between. */
const PAUSE_MS = 50

const nothing: readonly never[] = []

/**
 * A long list in portions: what a screen can show at once, the rest when the browser is free. Changing to a
 * month of hundreds of activities stays instant, and soon everything is there for find-in-page. Only another
 * `key` starts small again: a reload of the same list keeps its length, and with it the place on the page.
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
