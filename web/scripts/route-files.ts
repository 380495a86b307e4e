/**
 * Tells index.html which files each route will ask for once the entry runs, so that public/start.js can ask
 * for them at once: the browser then fetches all of a route's code side by side. Its keys are all of the app's
 * routes: the server answers any other path with 404.
 */
import type { Plugin, Rolldown } from 'vite'

/** Where index.html wants the list: before the script that reads it. */
const MARK = '<!--route-files-->'

type Bundle = Rolldown.OutputBundle

/** The chunks that a module's chunk needs before it can run, itself included. */
function closure(bundle: Bundle, from: string, found = new Set<string>()): Set<string> {
  const chunk = bundle[from]
  if (found.has(from) || chunk?.type !== 'chunk') return found
  found.add(from)
  for (const next of chunk.imports) closure(bundle, next, found)
  return found
}

function chunkOf(bundle: Bundle, module: string): string {
  const found = Object.values(bundle).find(
    (output) => output.type === 'chunk' && output.moduleIds.some((id) => id.endsWith(module)),
  )
  if (!found) throw new Error(`the build has no ${module}`)
  return found.fileName
}

function filesOf(bundle: Bundle, scripts: readonly string[]): string[] {
  const styles = new Set<string>()
  for (const name of scripts) {
    const chunk = bundle[name]
    if (chunk?.type === 'chunk')
      for (const css of chunk.viteMetadata?.importedCss ?? []) styles.add(css)
  }
  return [...scripts, ...styles].map((name) => `/${name}`)
}

const typefaces = (bundle: Bundle): string[] =>
  Object.keys(bundle)
    .filter((name) => name.endsWith('.woff2'))
    .map((name) => `/${name}`)

/** `routes` gives the modules behind each path, by the end of their file names. */
export function routeFiles(routes: Record<string, readonly string[]>): Plugin {
  return {
    name: 'planes-route-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, chunk }) {
        if (!bundle || !chunk) throw new Error('the build gave index.html no entry')
        const known = closure(bundle, chunk.fileName)
        const entries = Object.entries(routes).map(([path, modules]) => {
          const needed = new Set<string>()
          for (const module of modules) closure(bundle, chunkOf(bundle, module), needed)
          const files = filesOf(
            bundle,
            [...needed].filter((name) => !known.has(name)),
          )
          // Where no other code is waited for the typeface may come as early as the entry.
          return [path, modules.length > 0 ? files : typefaces(bundle)]
        })
        const json = JSON.stringify(Object.fromEntries(entries))
        return html.replace(
          MARK,
          `<script type="application/json" id="route-files">${json}</script>`,
        )
      },
    },
  }
}
