import { describe, expect, it, vi } from 'vitest'
import { Backend } from '#testing/backend.ts'
import { serverSentence } from './notify.ts'
import { supabase } from './supabase.ts'

describe('the client of the backend', () => {
  it('gives no request more than its time, and says so in Spanish', async () => {
    const limit = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    globalThis.fetch = (_, init) =>
      new Promise((_done, fail) => {
        init?.signal?.addEventListener('abort', () => fail(init.signal?.reason))
      })
    const answer = supabase.from('actividades').select('*')
    const asked = answer.then(({ error }) => error)
    await vi.waitFor(() => expect(AbortSignal.timeout).toHaveBeenCalledWith(15_000))
    limit.abort(new DOMException('signal timed out', 'TimeoutError'))
    expect(serverSentence(await asked)).toBe('El servidor no responde. Inténtalo de nuevo.')
  })

  it('leaves it to the queries to ask again', async () => {
    Backend.current.on('GET', '/rest/v1/actividades', () => ({ status: 503, body: {} }))
    await supabase.from('actividades').select('*')
    expect(Backend.current.called('GET', '/rest/v1/actividades')).toHaveLength(1)
  })
})
