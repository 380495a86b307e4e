/** Which requests the service worker may answer. Pure, so that it can be tested. */

const BACKEND = ['/auth/v1', '/rest/v1', '/realtime/v1', '/mailbox'] as const

const isBackend = (path: string): boolean =>
  BACKEND.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))

/** A route of the app, and not of the backend beside it. */
export const isPage = (path: string): boolean => !isBackend(path)

/** A file of the build, known at install time. */
export const answersFromCache = (path: string, precache: readonly string[]): boolean =>
  !isBackend(path) && precache.includes(path)
