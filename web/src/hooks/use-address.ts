import { useCallback, useSyncExternalStore } from 'react'
import { type Address, readAddress, writeAddress } from '#lib/address.ts'

const listeners = new Set<() => void>()
let seen = ''
let known: Address = readAddress('')

/** The same object while the address is the same. */
function current(): Address {
  const { search } = window.location
  if (search !== seen) {
    seen = search
    known = readAddress(search)
  }
  return known
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  window.addEventListener('popstate', changed)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('popstate', changed)
  }
}

type Go = (change: Partial<Address>, how: 'push' | 'replace') => void

/**
 * The dashboard's address and the way to change it. Past the router, for which the route stays the same: its
 * changes of place are transitions, and a month must change at once.
 */
export function useAddress(): [Address, Go] {
  const address = useSyncExternalStore(subscribe, current)
  const go = useCallback<Go>((change, how) => {
    const { history, location } = window
    const url = location.pathname + writeAddress({ ...current(), ...change }) + location.hash
    if (how === 'push') history.pushState({ ...history.state, inside: true }, '', url)
    else history.replaceState(history.state, '', url)
    for (const changed of listeners) changed()
  }, [])
  return [address, go]
}

/** Whether «back» leads to where this address was opened from, instead of out of the app. */
export const openedInside = (): boolean => window.history.state?.inside === true
