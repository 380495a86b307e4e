import { createContext, use } from 'react'

/** What the server has beyond the specification, as a number that grows; 0 for nothing, or not known yet. */
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
