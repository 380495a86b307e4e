/** Weighs the build, gzipped at level 9, in KB of 1024 bytes; fails when a route is over its limit. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { paths } from '../src/lib/paths.ts'

const DIST = new URL('../dist/', import.meta.url)
const ENTRY = 'index.html'
const LIMITS = { [paths.auth]: 166, [paths.dashboard]: 185 }
const ENTRY_LIMIT = 91
const LATER_LIMIT = 90
const CSS_LIMIT = 18
const FIRST_CSS_LIMIT = 11
const WORKER_LIMIT = 4
const CHUNK_LIMIT = 14
const FONT_LIMIT = 21

const read = (file) => readFileSync(new URL(file, DIST))
const manifest = JSON.parse(read('.vite/manifest.json'))
const weigh = (file) => gzipSync(read(file), { level: 9 }).length / 1024
const total = (files) => [...files].reduce((sum, file) => sum + weigh(file), 0)

/** What index.html says that each route loads besides the entry; scripts/route-files.ts wrote it. */
const [, list] = String(read('index.html')).match(/id="route-files">(.*?)<\/script>/)
const listed = JSON.parse(list)
const named = (files, end) =>
  files.map((file) => file.slice(1)).filter((file) => file.endsWith(end))
const loaded = Object.entries(listed)
  .map(([path, files]) => [path, named(files, '.js')])
  .filter(([, files]) => files.length > 0)

/** The scripts that a chunk needs before it can run: its static imports, all the way down. */
function scriptsOf(name, found = new Set()) {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`the build has no ${name}`)
  if (found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const next of chunk.imports ?? []) scriptsOf(next, found)
  return found
}

let over = false
function report(name, size, limit) {
  const verdict = limit === undefined ? '' : size <= limit ? `  of ${limit}` : `  OVER ${limit}`
  if (limit !== undefined && size > limit) over = true
  console.log(`${name.padEnd(34)}${size.toFixed(1).padStart(7)} KB${verdict}`)
}

const entry = scriptsOf(ENTRY)
const dashboard = new Set([...entry, ...Object.fromEntries(loaded)[paths.dashboard]])
const later = new Set()
for (const { file, dynamicImports = [] } of Object.values(manifest))
  if (dashboard.has(file)) for (const name of dynamicImports) scriptsOf(name, later)
report('JS /', total(entry), ENTRY_LIMIT)
for (const [path, files] of loaded)
  report(`JS ${path}`, total(new Set([...entry, ...files])), LIMITS[path])
report(
  'JS /dashboard, later',
  total([...later].filter((file) => !dashboard.has(file))),
  LATER_LIMIT,
)
for (const file of later)
  if (!dashboard.has(file) && weigh(file) > CHUNK_LIMIT) report(file, weigh(file), CHUNK_LIMIT)
const fonts = readdirSync(new URL('assets/', DIST)).filter((file) => file.endsWith('.woff2'))
const bytes = fonts.reduce((sum, file) => sum + read(`assets/${file}`).length, 0)
report('typeface', bytes / 1024, FONT_LIMIT)
const [page] = Object.values(manifest).filter(({ isEntry }) => isEntry)
for (const [path, files] of Object.entries(listed))
  report(
    `CSS ${path}, first`,
    total(new Set([...page.css, ...named(files, '.css')])),
    FIRST_CSS_LIMIT,
  )
const styles = new Set(Object.values(manifest).flatMap((chunk) => chunk.css ?? []))
report('CSS, all', total(styles), CSS_LIMIT)
report('worker', weigh('sw.js'), WORKER_LIMIT)
process.exitCode = over ? 1 : 0
