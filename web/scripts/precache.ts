/** Writes into the built service worker which files to keep, and a version that changes with any of them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const WORKER = 'sw.js'
/** Files of public/ that the app needs without a network. */
const WANTED = /\.(js|svg|webmanifest)$/

/** A name that nothing else can have, in code that is minified already. */
function write(code: string, name: string, value: unknown): string {
  if (!code.includes(name)) throw new Error(`the service worker has no ${name}`)
  return code.replaceAll(name, () => JSON.stringify(value))
}

export function precache(): Plugin {
  return {
    name: 'planes-precache',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const worker = bundle[WORKER]
        if (worker?.type !== 'chunk') throw new Error('the build made no service worker')
        const built = Object.keys(bundle).filter((name) =>
          /^assets\/.*\.(js|css|woff2)$/.test(name),
        )
        const fixed = readdirSync('public').filter((name) => WANTED.test(name))
        const files = [...built, ...fixed].map((name) => `/${name}`).sort()
        const hash = createHash('sha256').update(files.join()).update(readFileSync('index.html'))
        for (const name of fixed) hash.update(readFileSync(`public/${name}`))
        worker.code = write(worker.code, '__PLANES_PRECACHE__', files)
        worker.code = write(worker.code, '__PLANES_VERSION__', hash.digest('hex').slice(0, 12))
      },
    },
  }
}
