import { createContext, use } from 'react'

/** Why nothing can be changed just now; null where it can. */
export const ReadOnly = createContext<string | null>(null)

const free = {} as const

/** What a button that changes something wears: nothing, or its being off and why. */
export function useReadOnly(): { 'aria-disabled'?: true; title?: string } {
  const reason = use(ReadOnly)
  return reason === null ? free : { 'aria-disabled': true, title: reason }
}
