import { useCallback, useEffect, useRef, useState } from 'react'

const EMPTY: ReadonlySet<string> = new Set()

/** A set whose members leave by themselves after `stayMs`. */
export function usePassingSet(stayMs: number): [ReadonlySet<string>, (member: string) => void] {
  const [members, setMembers] = useState(EMPTY)
  const timers = useRef(new Map<string, number>())

  useEffect(() => {
    const pending = timers.current
    return () => {
      for (const timer of pending.values()) window.clearTimeout(timer)
      pending.clear()
    }
  }, [])

  const add = useCallback(
    (member: string) => {
      const leave = () => {
        timers.current.delete(member)
        setMembers((before) => new Set([...before].filter((other) => other !== member)))
      }
      window.clearTimeout(timers.current.get(member))
      timers.current.set(member, window.setTimeout(leave, stayMs))
      setMembers((before) => new Set(before).add(member))
    },
    [stayMs],
  )

  return [members, add]
}
