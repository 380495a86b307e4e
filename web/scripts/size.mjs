/** Weighs the build, gzipped at level 9, in KB of 1024 bytes; fails when a route is over its limit. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../dist/', import.meta.url)
const ENTRY = 'index.html'
const LAYOUT = 'src/app/session-layout.tsx'

const routes = [
  { name: '/', parts: [ENTRY], limit: 95 },
  { name: '/auth', parts: [ENTRY, LAYOUT, 'src/pages/auth-page.tsx'], limit: 185 },
  { name: '/dashboard', parts: [ENTRY, LAYOUT, 'src/pages/dashboard-page.tsx'], limit: 185 },
]
const CSS_LIMIT = 10

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
const weigh = (file) => gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length / 1024
const total = (files) => [...files].reduce((sum, file) => sum + weigh(file), 0)

/** The scripts that these parts need before they can run: their static imports, all the way down. */
function scriptsOf(parts, found = new Set()) {
  for (const part of parts) {
    const chunk = manifest[part]
    if (!chunk) throw new Error(`the build has no ${part}`)
    if (found.has(chunk.file)) continue
    found.add(chunk.file)
    scriptsOf(chunk.imports ?? [], found)
  }
  return found
}

/** What the dashboard fetches besides, when the browser is idle or at the first use. */
function scriptsLater(start, known) {
  const found = new Set()
  const visit = (part) => {
    const chunk = manifest[part]
    if (!found.has(part)) {
      found.add(part)
      for (const next of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) visit(next)
    }
  }
  for (const part of manifest[start].dynamicImports ?? []) visit(part)
  return new Set([...found].map((part) => manifest[part].file).filter((file) => !known.has(file)))
}

let over = false
function report(name, size, limit) {
  const verdict = limit === undefined ? '' : size <= limit ? `  of ${limit}` : `  OVER ${limit}`
  if (limit !== undefined && size > limit) over = true
  console.log(`${name.padEnd(34)}${size.toFixed(1).padStart(7)} KB${verdict}`)
}

for (const { name, parts, limit } of routes) report(`JS ${name}`, total(scriptsOf(parts)), limit)
const dashboard = scriptsOf(routes[2].parts)
report('JS /dashboard, later', total(scriptsLater('src/pages/dashboard-page.tsx', dashboard)))
const styles = new Set(Object.values(manifest).flatMap((chunk) => chunk.css ?? []))
report('CSS, all', total(styles), CSS_LIMIT)
process.exitCode = over ? 1 : 0
