import { useEffect, useState } from 'react'
import { dateOf, type Fecha, untilMidnight } from '#lib/dates.ts'

/** The device's date, updated at local midnight and when the tab becomes visible. */
export function useToday(): Fecha {
  const [today, setToday] = useState(() => dateOf(new Date()))

  useEffect(() => {
    let timer: number
    const look = () => {
      window.clearTimeout(timer)
      const now = new Date()
      setToday(dateOf(now))
      // One second late on purpose: a timer that fires early would find the old day.
      timer = window.setTimeout(look, untilMidnight(now) + 1000)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      window.clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])

  return today
}
