/** What the server last answered, kept for the screens: one cache for each load of the page. */
import { QueryClient } from '@tanstack/react-query'

export const serverCache = new QueryClient({
  // An answer given without a network must fail at once and say so, not wait and be sent hours later.
  defaultOptions: { mutations: { networkMode: 'always' } },
})
