/** Light or dark: the system's, until somebody chooses. public/start.js applies a choice before first paint. */
import { deviceSlot } from './stored.ts'

export type Theme = 'light' | 'dark'

const chosen = deviceSlot('tema')
const listeners = new Set<() => void>()
const system = () => window.matchMedia('(prefers-color-scheme: dark)')

export function currentTheme(): Theme {
  const set = document.documentElement.dataset.theme
  if (set === 'light' || set === 'dark') return set
  return system().matches ? 'dark' : 'light'
}

/** The `theme-color` of the browser's bars; index.html has one for each system theme. */
function colourTheBrowser(theme: Theme | null): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { theme: own } = meta.dataset
    const only = own === theme ? 'all' : 'not all'
    meta.media = theme ? only : `(prefers-color-scheme: ${own})`
  }
}

/** The stored choice of theme; null to follow the system (`prefers-color-scheme`). */
export function chosenTheme(): Theme | null {
  const set = document.documentElement.dataset.theme
  return set === 'light' || set === 'dark' ? set : null
}

export function chooseTheme(theme: Theme | null): void {
  if (theme) {
    document.documentElement.dataset.theme = theme
    chosen.set(theme)
  } else {
    delete document.documentElement.dataset.theme
    chosen.clear()
  }
  colourTheBrowser(theme)
  for (const changed of listeners) changed()
}

export function subscribeToTheme(changed: () => void): () => void {
  const list = system()
  listeners.add(changed)
  list.addEventListener('change', changed)
  return () => {
    listeners.delete(changed)
    list.removeEventListener('change', changed)
  }
}
