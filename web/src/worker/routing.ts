/** Which requests the service worker may answer. Pure, so that it can be tested. */

/** Every service is at a version of its own below its name. */
const isBackend = (path: string): boolean => /^\/(?:[^/]+\/v\d+|mailbox)(?:\/|$)/.test(path)

/** A route of the app, and not of the backend beside it. */
export const isPage = (path: string): boolean => !isBackend(path)

/** A file of the build, known at install time. */
export const answersFromCache = (path: string, precache: readonly string[]): boolean =>
  !isBackend(path) && precache.includes(path)
