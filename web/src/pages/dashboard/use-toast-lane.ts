import { useEffect, useRef } from 'react'

/** Publishes the header's empty middle as CSS properties, for the notifications, which are outside of the page. */
export function useToastLane() {
  const lane = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const { current } = lane
    if (!current) return
    const { style } = document.documentElement
    const measure = () => {
      const { left, width } = current.getBoundingClientRect()
      style.setProperty('--lane-left', `${left}px`)
      style.setProperty('--lane-width', `${width}px`)
    }
    const watched = new ResizeObserver(measure)
    watched.observe(current)
    window.addEventListener('resize', measure)
    return () => {
      watched.disconnect()
      window.removeEventListener('resize', measure)
      style.removeProperty('--lane-left')
      style.removeProperty('--lane-width')
    }
  }, [])

  return lane
}
