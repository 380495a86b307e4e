/** What a mailed link left in the address, read before supabase-js consumes and clears it. */

type AuthLink = {
  /** `half`: of the two links that change an address the first. `address`: the last of them. */
  kind: 'none' | 'session' | 'confirmation' | 'recovery' | 'half' | 'address' | 'error'
}

/** Pure: classifies the hash and the query of an address. */
export function readAuthLink(address: string): AuthLink {
  const { hash, searchParams } = new URL(address)
  const params = new URLSearchParams(hash.slice(1))
  for (const [name, value] of searchParams) if (!params.has(name)) params.set(name, value)
  if (params.has('error_description') || params.has('error')) return { kind: 'error' }
  if (!params.has('access_token') && !params.has('code'))
    return { kind: params.has('message') ? 'half' : 'none' }
  const type = params.get('type')
  if (type === 'recovery') return { kind: 'recovery' }
  if (type === 'email_change') return { kind: 'address' }
  return { kind: type === 'signup' ? 'confirmation' : 'session' }
}

/** The link that this page was opened with. The entry imports this module, so that it runs first. */
export const openingLink: AuthLink = readAuthLink(window.location.href)
