/**
 * The browser's «back» closes the topmost dialog instead of leaving the page: while dialogs are open, the history has
 * one entry for them. It keeps the router's own state, so the router sees no navigation.
 */

import { writeAddressNow } from '#hooks/use-address.ts'

type Close = () => void

/** The dialogs that are open, the top one last. */
const open: Close[] = []
let scheduled = false
/** True after our own `history.back()`: its `popstate` is not the user's. */
let leaving = false

const isOurs = (): boolean => window.history.state?.dialog === true

function settle(): void {
  scheduled = false
  if (leaving) return
  const { history } = window
  if (open.length > 0 && !isOurs()) {
    // Going back must not scroll the page behind, wherever the focus went meanwhile.
    history.scrollRestoration = 'manual'
    writeAddressNow()
    history.pushState({ ...history.state, dialog: true }, '')
  } else if (open.length === 0 && isOurs()) {
    leaving = true
    history.back()
  }
}

/** Runs after all effects of a rendering: StrictMode mounts twice, and one dialog may replace another. */
function schedule(): void {
  if (scheduled) return
  scheduled = true
  queueMicrotask(settle)
}

window.addEventListener('popstate', () => {
  if (leaving) leaving = false
  else if (!isOurs()) open.at(-1)?.()
  if (!isOurs()) window.history.scrollRestoration = 'auto'
  // After the rendering that closing causes.
  setTimeout(schedule)
})

/** Call when a dialog opens; call the returned function when it has closed. */
export function holdHistory(close: Close): () => void {
  open.push(close)
  schedule()
  return () => {
    open.splice(open.indexOf(close), 1)
    schedule()
  }
}
