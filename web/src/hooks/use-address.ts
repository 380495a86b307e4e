import { useCallback, useSyncExternalStore } from 'react'
import { type Address, readAddress, writeAddress } from '#lib/address.ts'
import { afterPaint } from './use-after-paint.ts'

const listeners = new Set<() => void>()
let seen = ''
let known: Address = readAddress('')

/** An address to be written soon: the browser's history call is slow, and no press should wait for it. */
let unwritten: { pathname: string; from: string; search: string; push: boolean } | null = null

/** Writes a waiting address now, before another use of the history; not if another page is open meanwhile. */
export function writeAddressNow(): void {
  const { history, location } = window
  if (unwritten?.pathname === location.pathname) {
    const url = location.pathname + unwritten.search + location.hash
    if (unwritten.push) history.pushState({ ...history.state, inside: true }, '', url)
    else history.replaceState(history.state, '', url)
  }
  unwritten = null
}

/** After «back» and «forward»; a dialog's own way back leads to the address from which the change was asked for. */
function forgetElsewhere(): void {
  if (unwritten?.from !== window.location.search) unwritten = null
}

/** The same object while the address is the same. */
function current(): Address {
  const { pathname } = window.location
  const search = unwritten?.pathname === pathname ? unwritten.search : window.location.search
  if (search !== seen) {
    seen = search
    known = readAddress(search)
  }
  return known
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  window.addEventListener('popstate', forgetElsewhere)
  window.addEventListener('popstate', changed)
  return () => {
    listeners.delete(changed)
    window.removeEventListener('popstate', changed)
  }
}

/** `later`: after the next paint. */
type How = 'push' | 'replace' | 'push later' | 'replace later'
type Go = (change: Partial<Address>, how: How) => void

/**
 * The dashboard's address, and a function to change it. It bypasses the router, whose navigations are transitions: a
 * month must change at once, and the route stays the same.
 */
export function useAddress(): [Address, Go] {
  const address = useSyncExternalStore(subscribe, current)
  const go = useCallback<Go>((change, how) => {
    const search = writeAddress({ ...current(), ...change })
    if (how !== 'replace later') writeAddressNow()
    const { pathname, search: from } = window.location
    const push = how.startsWith('push') || unwritten?.push === true
    unwritten = { pathname, from, search, push }
    if (how.endsWith('later')) afterPaint(writeAddressNow)
    else writeAddressNow()
    for (const changed of listeners) changed()
  }, [])
  return [address, go]
}

/** Whether «back» leads to where this address was opened from, instead of out of the app. */
export function openedInside(): boolean {
  writeAddressNow()
  return window.history.state?.inside === true
}
