import { describe, expect, it, vi } from 'vitest'
import { signedInAsAna } from '#testing/app.tsx'
import { ANA, Backend } from '#testing/backend.ts'

const PROFILES = '/rest/v1/profiles'

async function preload(path: string) {
  vi.resetModules()
  const chunks = await import('./route-chunks.tsx')
  await chunks.preload(path)
}

describe('the code of a route', () => {
  it('asks for the profile of who is signed in before anything is rendered', async () => {
    signedInAsAna()
    await preload('/dashboard')
    await vi.waitFor(() => expect(Backend.current.calls).toHaveLength(1))
    const [call] = Backend.current.called('GET', PROFILES)
    expect(call?.query.get('id')).toBe(`eq.${ANA}`)
    expect(document.body).toHaveTextContent('')
  })

  it('asks nothing where nobody is signed in', async () => {
    await preload('/dashboard')
    const { supabase } = await import('#lib/supabase.ts')
    await supabase.auth.getSession()
    expect(Backend.current.calls).toEqual([])
  })
})
