import { useEffect, useState } from 'react'

/** True once `on` has been true for `delayMs` without a break; false at once when it no longer is. */
export function useDelayed(on: boolean, delayMs: number): boolean {
  const [late, setLate] = useState(false)

  useEffect(() => {
    if (!on) return
    const timer = window.setTimeout(() => setLate(true), delayMs)
    return () => {
      window.clearTimeout(timer)
      setLate(false)
    }
  }, [on, delayMs])

  return on && late
}
