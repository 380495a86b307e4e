/** All notifications go through here: their durations, and one per text, so that repeats refresh it. */
import { catalogue, requests } from './messages.ts'

export const DURATIONS = { success: 5000, info: 6000, error: 8000 } as const

export type Notification = {
  kind: keyof typeof DURATIONS
  text: string
  id: string
  duration: number
  closeButton?: boolean
  action?: { label: string; onClick: () => void }
}

type Receiver = (notification: Notification) => void

let receiver: Receiver | null = null
let held: Notification[] = []
let wanted = () => {}

/** The toaster is loaded after the page; notifications until then are queued. */
export function receiveNotifications(show: Receiver): () => void {
  receiver = show
  for (const notification of held.splice(0)) show(notification)
  return () => {
    receiver = null
  }
}

/** Called for each notification while no toaster is loaded. */
export function whenNobodyShows(run: () => void): () => void {
  wanted = run
  if (held.length > 0) run()
  return () => {
    wanted = () => {}
  }
}

function say(kind: Notification['kind'], text: string, more: Partial<Notification> = {}): void {
  const notification = { kind, text, id: text, duration: DURATIONS[kind], ...more }
  if (receiver) receiver(notification)
  else {
    held = [...held.filter(({ id }) => id !== text), notification]
    wanted()
  }
}

export const notify = {
  success: (text: string) => say('success', text),
  info: (text: string) => say('info', text),
  error: (text: string) => say('error', text, { closeButton: true }),
  /** With an undo button; shown a little longer. */
  undoable: (text: string, label: string, onClick: () => void) =>
    say('success', text, { duration: DURATIONS.error, action: { label, onClick } }),
  /** Stays until its action is pressed or it is closed. */
  offer: (text: string, label: string, onClick: () => void) =>
    say('info', text, {
      duration: Number.POSITIVE_INFINITY,
      closeButton: true,
      action: { label, onClick },
    }),
}

type Refusal = { name?: string; message?: string; status?: number; code?: string }

/** Of PostgreSQL and PostgREST. Only what a function raises itself (P0001) is written for people. */
const OF_THE_DATABASE = /^(?!P0001$)([0-9A-Z]{5}|PGRST\w+)$/

/** Of a failed request or import of code; postgrest-js puts the exception's class in front of its message. */
const UNANSWERED = /^(TypeError|FetchError|AbortError)\b|\bTimeoutError\b/

/**
 * The server's message if it is written for people, else ours; another one if there was no response at all.
 */
export function serverSentence(error: unknown, unanswered: string = requests.unanswered): string {
  const { name, message, status, code } = (error ?? {}) as Refusal
  const kind = name === 'TimeoutError' || name === 'TypeError' ? name : message
  if (name === 'AuthRetryableFetchError' || status === 0 || UNANSWERED.test(kind ?? ''))
    return unanswered
  if (!message || message === '{}') return catalogue.genericFailure
  return code && OF_THE_DATABASE.test(code) ? catalogue.genericFailure : message
}
