/**
 * Runs at once, then at most every `everyMs` and never concurrently: calls meanwhile cause one more run, so that the
 * last call is always followed by a run that began after it.
 */
export function throttled(run: () => Promise<unknown>, everyMs: number): () => void {
  let busy = false
  let again = false

  const go = async () => {
    busy = true
    again = false
    const pause = new Promise((done) => setTimeout(done, everyMs))
    await Promise.allSettled([run(), pause])
    busy = false
    if (again) void go()
  }

  return () => {
    if (busy) again = true
    else void go()
  }
}
