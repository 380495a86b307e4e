/** The only door to the toast library: durations, and one toast per text so that repeats refresh it. */
import { toast } from 'sonner'
import { catalogue, requests } from './messages.ts'

export const DURATIONS = { success: 5000, info: 6000, error: 8000 } as const

export const notify = {
  success: (text: string) => void toast.success(text, { id: text, duration: DURATIONS.success }),
  info: (text: string) => void toast.info(text, { id: text, duration: DURATIONS.info }),
  error: (text: string) =>
    void toast.error(text, { id: text, duration: DURATIONS.error, closeButton: true }),
  /** Stays until it is taken or closed. */
  offer: (text: string, label: string, onClick: () => void) =>
    void toast.info(text, {
      id: text,
      duration: Number.POSITIVE_INFINITY,
      closeButton: true,
      action: { label, onClick },
    }),
}

type Refusal = { name?: string; message?: string; status?: number }

/** The server's own sentence, or the catalogue's when the server said nothing a person can read. */
export function serverSentence(error: unknown): string {
  const { name, message, status } = (error ?? {}) as Refusal
  const neverAnswered = name === 'AuthRetryableFetchError' || status === 0
  if (neverAnswered || !message || message === '{}') return catalogue.genericFailure
  if (name === 'TimeoutError' || /\bTimeoutError\b/.test(message)) return requests.timeout
  // postgrest-js reports a network failure as a message with the exception's class in front.
  return /^(TypeError|FetchError|AbortError)\b/.test(message) ? catalogue.genericFailure : message
}
