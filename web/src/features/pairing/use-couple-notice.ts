import { useEffect, useRef } from 'react'
import { pairing } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'

/** Says once that a couple came to be or ended, whichever of the two did it. */
export function useCoupleNotice(parejaId: string | null | undefined, nombre: string | null): void {
  const known = useRef(parejaId)

  // No cleanup: each change of the couple is said once.
  useEffect(() => {
    const before = known.current
    if (parejaId === undefined || parejaId === before) return
    // The name arrives after the couple's id: wait for it, the partner is who this is about.
    if (parejaId !== null && nombre === null) return
    known.current = parejaId
    if (before === undefined) return
    notify.info(parejaId === null || nombre === null ? pairing.unlinked : pairing.joined(nombre))
  }, [parejaId, nombre])
}
