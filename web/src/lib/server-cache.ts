/** A cache of server responses shared by the screens, one for each page load. */
import { notifyManager, QueryClient } from '@tanstack/react-query'

// Set synchronously, so that the second press of a double click does not send the call again.
notifyManager.setScheduler(queueMicrotask)

export const serverCache = new QueryClient({
  // Offline, a mutation must fail at once and say so, not wait and be sent hours later.
  defaultOptions: { mutations: { networkMode: 'always' } },
})
