import { describe, expect, it } from 'vitest'
import { ConfigurationError, readConfiguration } from './configuration.ts'

function page(head: string): Document {
  return new DOMParser().parseFromString(`<html><head>${head}</head></html>`, 'text/html')
}

describe('the configuration', () => {
  const env = { VITE_SUPABASE_URL: 'http://dev', VITE_SUPABASE_PUBLISHABLE_KEY: 'dev-key' }

  it('is what the server wrote into the page', () => {
    const served = page(
      '<meta name="supabase-url" content="http://a"><meta name="supabase-key" content="k">',
    )
    expect(readConfiguration(served, env)).toEqual({ url: 'http://a', key: 'k' })
  })

  it('comes from the environment of `npm run dev` otherwise', () => {
    expect(readConfiguration(page(''), env)).toEqual({ url: 'http://dev', key: 'dev-key' })
  })

  it('is refused with one clear sentence when it is missing', () => {
    expect(() => readConfiguration(page(''), {})).toThrow(ConfigurationError)
    expect(() => readConfiguration(page(''), {})).toThrow(/supabase-url y supabase-key/)
  })
})
