/**
 * supabase-js carries the clients of every service. The planner's first load uses neither files nor functions, and of
 * accounts neither passkeys nor wallets: they are left out of it, 11 KB gzipped. Code that needs one imports its
 * package itself, in a chunk of its own.
 */
import type { Plugin } from 'vite'

const CLIENT = /\/@supabase\/(supabase|auth)-js\//

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
  './lib/web3/ethereum': ['createSiweMessage', 'fromHex', 'getAddress', 'toHex'],
  './lib/webauthn': [
    'WebAuthnApi',
    'browserSupportsWebAuthn',
    'createCredential',
    'deserializeCredentialCreationOptions',
    'deserializeCredentialRequestOptions',
    'getCredential',
    'serializeCredentialCreationResponse',
    'serializeCredentialRequestResponse',
    'webAuthnAbortService',
  ],
}

const MARK = '\0left-out:'

export function unusedServices(): Plugin {
  return {
    name: 'planes-unused-services',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source, importer) =>
      importer && CLIENT.test(importer) && source in LEFT_OUT ? MARK + source : null,
    load: (id) => {
      if (!id.startsWith(MARK)) return null
      const names = LEFT_OUT[id.slice(MARK.length)] ?? []
      return names.map((name) => `export class ${name} {}`).join('\n')
    },
  }
}
