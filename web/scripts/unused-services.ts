/**
 * supabase-js carries the clients of every service. The planner's first load uses neither files nor functions: they
 * are left out of it, 7 KB gzipped. Code that needs one imports its package itself, in a chunk of its own.
 */
import type { Plugin } from 'vite'

const CLIENT = '/@supabase/supabase-js/'

/** What supabase-js takes from each package; none of it is ever called. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  '@supabase/storage-js': ['StorageApiError', 'StorageClient'],
  '@supabase/functions-js': [
    'FunctionRegion',
    'FunctionsClient',
    'FunctionsError',
    'FunctionsFetchError',
    'FunctionsHttpError',
    'FunctionsRelayError',
  ],
}

const MARK = '\0left-out:'

export function unusedServices(): Plugin {
  return {
    name: 'planes-unused-services',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source in LEFT_OUT && importer?.includes(CLIENT) ? MARK + source : null,
    load: (id) => {
      if (!id.startsWith(MARK)) return null
      const names = LEFT_OUT[id.slice(MARK.length)] ?? []
      return names.map((name) => `export class ${name} {}`).join('\n')
    },
  }
}
