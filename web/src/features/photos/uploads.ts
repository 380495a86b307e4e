/** Uploads photos one after the other and retries when the network is back; independent of any dialog. */

import { logFailure } from '#lib/log.ts'
import { photosWaiting } from '#lib/stored.ts'
import { Refused, type Shot, send } from './api.ts'
import { forget, keep, MOST_WAITING, MOST_WAITING_BYTES, type Waiting, waitingOf } from './queue.ts'

export type Upload = {
  id: string
  plan: string
  state: 'waiting' | 'sending' | 'failed'
  /** The fraction sent, 0 to 1. */
  part: number
  /** Why it was refused. */
  reason: string | null
}

type Entry = { shot: Waiting; shown: Upload }

const AGAIN_MS = [2000, 10_000, 60_000] as const

let entries: readonly Entry[] = []
let shown: readonly Upload[] = []
let running = false
let failures = 0
let timer = 0
let sent = () => {}
const listeners = new Set<() => void>()

function put(next: readonly Entry[]): void {
  entries = next
  shown = next.map((entry) => entry.shown)
  if (next.length > 0) photosWaiting.set(String(next.length))
  else photosWaiting.clear()
  for (const tell of listeners) tell()
}

const change = (id: string, changes: Partial<Upload>) =>
  put(
    entries.map((entry) =>
      entry.shown.id === id ? { ...entry, shown: { ...entry.shown, ...changes } } : entry,
    ),
  )

export const uploads = {
  subscribe: (tell: () => void) => {
    listeners.add(tell)
    return () => {
      listeners.delete(tell)
    }
  },
  now: () => shown,
}

const entryOf = (shot: Waiting): Entry => ({
  shot,
  shown: { id: shot.id, plan: shot.plan, state: 'waiting', part: 0, reason: null },
})

/** Whether this many more photos may wait. */
export function hasRoomFor(shot: Shot): boolean {
  const bytes = (one: Shot) => one.whole.size + one.small.size
  const sum = entries.reduce((total, entry) => total + bytes(entry.shot), bytes(shot))
  return entries.length < MOST_WAITING && sum <= MOST_WAITING_BYTES
}

export async function add(shot: Waiting): Promise<void> {
  await keep(shot)
  put([...entries, entryOf(shot)])
  void run()
}

export function giveUp(id: string): void {
  put(entries.filter((entry) => entry.shown.id !== id))
  void forget(id)
}

/** Clears the queue at a sign-out. */
export async function giveUpAll(): Promise<void> {
  const ids = entries.map((entry) => entry.shown.id)
  put([])
  await Promise.all(ids.map(forget))
}

export function again(id: string): void {
  change(id, { state: 'waiting', reason: null })
  failures = 0
  void run()
}

/** Resumes the queue of an earlier page. `onSent` runs after each uploaded photo. */
export async function resume(userId: string, onSent: () => void): Promise<void> {
  sent = onSent
  window.addEventListener('online', wake)
  const left = await waitingOf(userId)
  const known = new Set(entries.map(({ shown: { id } }) => id))
  put([
    ...entries.filter(({ shot }) => shot.userId === userId),
    ...left.filter(({ id }) => !known.has(id)).map(entryOf),
  ])
  void run()
}

function wake(): void {
  failures = 0
  void run()
}

/** A Web Lock: only one page uploads, else two would send the same. */
async function run(): Promise<void> {
  if (running) return
  running = true
  window.clearTimeout(timer)
  try {
    if (navigator.locks) await navigator.locks.request('planes-recuerdos', sendAll)
    else await sendAll()
  } finally {
    running = false
  }
}

async function sendAll(): Promise<void> {
  for (;;) {
    const next = entries.find(({ shown: { state } }) => state === 'waiting')
    if (!next || !navigator.onLine) return
    const { id } = next.shot
    change(id, { state: 'sending', part: 0 })
    try {
      await send(next.shot, (part) => change(id, { part }))
      failures = 0
      giveUp(id)
      sent()
    } catch (error) {
      if (error instanceof Refused) {
        change(id, { state: 'failed', reason: error.message })
        continue
      }
      logFailure('recuerdo', error)
      change(id, { state: 'waiting' })
      timer = window.setTimeout(() => void run(), AGAIN_MS[Math.min(failures, 2)])
      failures += 1
      return
    }
  }
}
