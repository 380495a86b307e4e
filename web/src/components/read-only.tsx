import { createContext, use } from 'react'
import { dashboard } from '#lib/messages.ts'

/** True where nothing can be changed because there is no network. */
export const ReadOnly = createContext(false)

const reason = { 'aria-disabled': true, title: dashboard.offlineReadOnly } as const
const free = {} as const

/** What a button that changes something wears: nothing, or its being off and why. */
export function useReadOnly(): typeof reason | typeof free {
  return use(ReadOnly) ? reason : free
}
