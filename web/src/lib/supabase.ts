/** The one client of the backend: the stock one, with its own defaults. */
import { createClient } from '@supabase/supabase-js'
import { readConfiguration } from './configuration.ts'
import type { Database } from './database.ts'

// A built bundle never reads the build machine's environment: keys are not baked in.
export const configuration = readConfiguration(
  document,
  import.meta.env.PROD ? {} : import.meta.env,
)

export const supabase = createClient<Database>(configuration.url, configuration.key)
