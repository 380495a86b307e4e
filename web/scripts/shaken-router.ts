/**
 * Lets the build leave out of react-router what nothing uses: its links, forms and prefetching, 5 KB gzipped. Its one
 * file gives each component a name for the developer's tools, a side effect that keeps the component.
 */
import type { Plugin } from 'vite'

const ROUTER = '/node_modules/react-router/'
const NAME = /^\w+\.displayName = .*;$/gm
const MADE_BY_REACT = /^(var \w+ = )(?=React\d*\.(createContext|forwardRef)\()/gm
const WARNINGS = 'var ENABLE_DEV_WARNINGS = true;'

export function shakenRouter(): Plugin {
  return {
    name: 'planes-shaken-router',
    apply: 'build',
    enforce: 'pre',
    transform: (code, id) =>
      id.includes(ROUTER)
        ? code
            .replace(NAME, '')
            .replace(MADE_BY_REACT, '$1/* @__PURE__ */ ')
            .replace(WARNINGS, 'var ENABLE_DEV_WARNINGS = false;')
        : null,
  }
}
