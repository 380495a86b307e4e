import { useEffect, useRef } from 'react'
import { pairing } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

type Couple = {
  parejaId: string | null | undefined
  nombre: string | null
  /** The plans as they were first read: what carries a couple's id was made in it. */
  list: readonly { pareja_id: string }[] | undefined
}

/** Says once that a couple came to be, came back or ended, whichever of the two did it. */
export function useCoupleNotice({ parejaId, nombre, list }: Couple): void {
  const known = useRef(parejaId)
  const former = useRef<Set<string> | null>(null)

  useEffect(() => {
    if (list) former.current ??= new Set(list.map(({ pareja_id }) => pareja_id))
  }, [list])

  // No cleanup: each change of the couple is said once.
  useEffect(() => {
    const before = known.current
    if (parejaId === undefined || parejaId === before) return
    // The name arrives after the couple's id: wait for it, the partner is who this is about.
    if (parejaId !== null && nombre === null) return
    known.current = parejaId
    if (before) former.current?.add(before)
    if (before === undefined) return
    if (parejaId === null || nombre === null) notify.info(pairing.unlinked)
    else
      notify.info(former.current?.has(parejaId) ? pairing.rejoined(nombre) : pairing.joined(nombre))
  }, [parejaId, nombre])
}
