/** Photos that wait for upload, stored on the device so that a reload loses none; each belongs to one person. */

import type { Shot } from './api.ts'

export type Waiting = Shot & { userId: string /** In ms since 1970. */; since: number }

const NAME = 'planes-recuerdos'
const STORE = 'fotos'
export const MOST_WAITING = 20
export const MOST_WAITING_BYTES = 60 * 1024 * 1024

const promised = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

async function within<T>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(NAME, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'id' })
  const database = await promised(opening)
  try {
    return await promised(run(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

/** One person's waiting photos, oldest first. Another person's are deleted. */
export async function waitingOf(userId: string): Promise<Waiting[]> {
  const all: Waiting[] = await within('readonly', (store) => store.getAll()).catch(() => [])
  for (const one of all) if (one.userId !== userId) void forget(one.id)
  return all.filter((one) => one.userId === userId).sort((a, b) => a.since - b.since)
}

/** Stores it if the browser can; otherwise the photo lasts as long as the page. */
export const keep = (one: Waiting) =>
  within('readwrite', (store) => store.put(one)).then(
    () => undefined,
    () => undefined,
  )

export const forget = (id: string) =>
  within('readwrite', (store) => store.delete(id)).catch(() => undefined)
