/**
 * The browser's «back» closes the dialog on top instead of leaving the page: one entry of the history stands for
 * the dialogs that are open. The router's own state stays in it, so that to the router nothing has happened.
 */

import { writeAddressNow } from '#hooks/use-address.ts'

type Close = () => void

/** The dialogs that are open, the top one last. */
const open: Close[] = []
let scheduled = false
/** Our own way back is under way: its `popstate` is no wish of the user. */
let leaving = false

const isOurs = (): boolean => window.history.state?.dialog === true

function settle(): void {
  scheduled = false
  if (leaving) return
  const { history } = window
  if (open.length > 0 && !isOurs()) {
    // The page behind stays where it is, wherever the dialog has led the focus meanwhile.
    history.scrollRestoration = 'manual'
    writeAddressNow()
    history.pushState({ ...history.state, dialog: true }, '')
  } else if (open.length === 0 && isOurs()) {
    leaving = true
    history.back()
  }
}

/** After the effects of one rendering: StrictMode mounts twice, and one dialog may follow another. */
function schedule(): void {
  if (scheduled) return
  scheduled = true
  queueMicrotask(settle)
}

window.addEventListener('popstate', () => {
  if (leaving) leaving = false
  else if (!isOurs()) open.at(-1)?.()
  if (!isOurs()) window.history.scrollRestoration = 'auto'
  // After what closing renders.
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
