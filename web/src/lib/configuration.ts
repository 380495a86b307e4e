/** The backend's address and public key, which the serving process writes into index.html. */

export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
}

const MISSING =
  'Falta la configuración del servidor: index.html no trae las etiquetas supabase-url y supabase-key.'

function meta(page: Document, name: string): string | undefined {
  return page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || undefined
}

/** Reads the two meta elements, else the two VITE_ variables of `npm run dev`; throws when there are neither. */
export function readConfiguration(
  page: Document,
  env: Record<string, unknown>,
): { url: string; key: string } {
  const url = meta(page, 'supabase-url') ?? env.VITE_SUPABASE_URL
  const key = meta(page, 'supabase-key') ?? env.VITE_SUPABASE_PUBLISHABLE_KEY
  if (typeof url !== 'string' || typeof key !== 'string' || !url || !key)
    throw new ConfigurationError(MISSING)
  return { url, key }
}
