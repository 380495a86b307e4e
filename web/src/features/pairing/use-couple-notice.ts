import { useEffect, useRef } from 'react'
import { pairing } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

type Couple = {
  parejaId: string | null | undefined
  nombre: string | null
  /** The plans as they were first read: those with a couple's id were made in it. */
  list: readonly { pareja_id: string }[] | undefined
}

/** Notifies once that the pairing was made, renewed or ended, by whichever of the two. */
export function useCoupleNotice({ parejaId, nombre, list }: Couple): void {
  const known = useRef(parejaId)
  const former = useRef<Set<string> | null>(null)

  useEffect(() => {
    if (list) former.current ??= new Set(list.map(({ pareja_id }) => pareja_id))
  }, [list])

  // No cleanup: each change of the pairing is notified once.
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
