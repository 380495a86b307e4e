/**
 * Asks the browser to compile every script whole, beside the page (V8's explicit compile hints). Otherwise the first
 * press compiles each function that it is the first to call, and pays a quarter of its time for it.
 */
import type { Plugin } from 'vite'

/** It counts only as a file's first line, which a banner is not: Vite may put its list of files before it. */
const HINT = '//# allFunctionsCalledOnLoad\n'

export function compileHints(): Plugin {
  return {
    name: 'planes-compile-hints',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const output of Object.values(bundle))
          if (output.type === 'chunk') output.code = HINT + output.code
      },
    },
  }
}
