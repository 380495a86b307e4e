import { defineConfig, mergeConfig } from 'vitest/config'
import build from './vite.config.ts'

export default mergeConfig(
  build,
  defineConfig({
    test: {
      environment: 'happy-dom',
      // A file's globals are a context of its own, in processes that go on to the next file: half the time.
      // Threads would share one time zone.
      pool: 'vmForks',
      setupFiles: ['src/testing/setup.ts'],
      // Each opened app has its own client, as each page load has; only the client minds.
      onConsoleLog: (log) => !log.includes('Multiple GoTrueClient instances'),
      // Whole screens on a busy machine; a single test takes well under two seconds on a quiet one.
      testTimeout: 60_000,
      restoreMocks: true,
      unstubGlobals: true,
      env: { TZ: 'Europe/Madrid' },
    },
  }),
)
