import { type RefObject, useEffect, useRef } from 'react'

/**
 * For a button that a form replaces: when the form closes, the button gets the focus back. In an effect, not in the
 * next frame: on a busy device the form may still be there then.
 */
export function useFocusBack(open: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  const was = useRef(open)

  // Nothing to clean up.
  useEffect(() => {
    if (was.current && !open) place.current?.querySelector('button')?.focus()
    was.current = open
  }, [open])

  return place
}
