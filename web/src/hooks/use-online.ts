import { useSyncExternalStore } from 'react'

function subscribe(changed: () => void): () => void {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}

/** `navigator.onLine`: false is certain, true is not. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)
