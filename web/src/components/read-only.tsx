import { createContext, use } from 'react'

/** Why nothing can be changed at present; null where changes are possible. */
export const ReadOnly = createContext<string | null>(null)

const free = {} as const

/** Props of a mutating button: none, or disabled with the reason while the app is read-only. */
export function useReadOnly(): { 'aria-disabled'?: true; title?: string } {
  const reason = use(ReadOnly)
  return reason === null ? free : { 'aria-disabled': true, title: reason }
}
