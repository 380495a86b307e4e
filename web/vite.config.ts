import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compileHints } from './scripts/compile-hints.ts'
import { precache } from './scripts/precache.ts'
import { routeFiles } from './scripts/route-files.ts'
import { shakenRouter } from './scripts/shaken-router.ts'
import { unusedServices } from './scripts/unused-services.ts'
import { routes } from './src/app/routes.ts'

export default defineConfig({
  plugins: [
    react(),
    unusedServices(),
    shakenRouter(),
    precache(),
    compileHints(),
    routeFiles(routes),
  ],
  build: {
    // scripts/size.mjs walks this graph to weigh what each route loads.
    manifest: true,
    // The server's policy allows no inline resources but styles; small files stay files.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'index.html', sw: 'src/worker/sw.ts' },
      output: {
        // The worker's scope is the folder it is served from, and its address must never change.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // Few files: a browser asks an HTTP/1.1 server for six at a time, and waits before the next six.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              tags: ['$initial'],
              test: (id) => !id.includes('/worker/'),
              priority: 1,
            },
            // One file of styles for what is seen later: so many small ones would be a tenth larger.
            {
              name: 'later',
              test: /(features\/[a-z/]+|components)\/(agenda|choices|conversation|costs|devices|ideas|import-plans|money-bars|photos|plan-sheet|series|trash)\.module\.css$/,
            },
            {
              name: 'session',
              test: /session-layout\.tsx|(hooks\/use-(after-paint|field-errors)|components\/field)\./,
            },
            // And what both the dashboard and later code need is not parted from it.
            { name: 'dashboard', test: /pages\/dashboard-page\.tsx/ },
          ],
        },
      },
    },
  },
})
