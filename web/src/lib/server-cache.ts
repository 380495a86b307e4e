/** A cache of server responses shared by the screens, one for each page load. */
import { notifyManager, QueryClient } from '@tanstack/react-query'

// A call that is under way is known before the second press of a double one, which would send it again.
notifyManager.setScheduler(queueMicrotask)

export const serverCache = new QueryClient({
  // An answer given without a network must fail at once and say so, not wait and be sent hours later.
  defaultOptions: { mutations: { networkMode: 'always' } },
})
