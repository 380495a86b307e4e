import '@testing-library/jest-dom/vitest'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach } from 'vitest'
import { BACKEND_URL, Backend } from './backend.ts'

configure({ asyncUtilTimeout: 25_000 })

// The client is real; only the network under it is not. It reads its configuration when first imported.
document.head.innerHTML = `
  <meta name="supabase-url" content="${BACKEND_URL}">
  <meta name="supabase-key" content="sb_publishable_test">`

beforeEach(() => {
  Backend.start()
})

afterEach(() => {
  cleanup()
  localStorage.clear()
  sessionStorage.clear()
})
