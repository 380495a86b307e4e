import { createContext, use } from 'react'

/** The version of the server's schema beyond the specification; 0 for none, or while it is unknown. */
export const ServerVersion = createContext(0)

/** The version that brought each thing. */
export const BROUGHT = {
  hours: 1,
  account: 2,
  conversation: 3,
  specialDays: 4,
  ideas: 5,
  costs: 6,
  push: 7,
  reminders: 8,
  photos: 9,
  mail: 10,
  series: 11,
} as const

export const useServerHas = (what: keyof typeof BROUGHT): boolean =>
  use(ServerVersion) >= BROUGHT[what]
