import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [react()],
  build: {
    // scripts/size.mjs walks this graph to weigh what each route loads.
    manifest: true,
    // The server's policy allows no inline resources but styles; small files stay files.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/testing/setup.ts'],
    // Each opened app has its own client, as each page load has; only the client minds.
    onConsoleLog: (log) => !log.includes('Multiple GoTrueClient instances'),
    // Whole screens on a busy machine; a single test takes well under two seconds on a quiet one.
    testTimeout: 30_000,
    restoreMocks: true,
    unstubGlobals: true,
    env: { TZ: 'Europe/Madrid' },
  },
})
