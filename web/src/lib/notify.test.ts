import { AuthRetryableFetchError } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { DURATIONS, serverSentence } from './notify.ts'

describe('what a failure says', () => {
  it('is the server’s own message', () => {
    expect(serverSentence(new Error('Invalid login credentials'))).toBe('Invalid login credentials')
    expect(serverSentence({ code: 'weak_password', message: 'Demasiado débil' })).toBe(
      'Demasiado débil',
    )
    expect(serverSentence({ code: 'P0001', message: 'Quien te invitó ya tiene pareja.' })).toBe(
      'Quien te invitó ya tiene pareja.',
    )
  })

  it('is the catalogue’s sentence where the server said nothing', () => {
    for (const error of [
      null,
      undefined,
      {},
      new Error(''),
      new Error('{}'),
      { code: '23514', message: 'new row for relation "actividades" violates check constraint' },
      { code: 'PGRST301', message: 'JWT expired' },
    ])
      expect(serverSentence(error)).toBe('Ocurrió un error')
  })

  it('is that the server does not answer where there was no answer', () => {
    for (const error of [
      new AuthRetryableFetchError('Failed to fetch', 0),
      { message: 'TypeError: Failed to fetch' },
      new DOMException('signal timed out', 'TimeoutError'),
      new TypeError('Failed to fetch'),
      new TypeError('Failed to fetch dynamically imported module: https://example.com/a.js'),
    ]) {
      expect(serverSentence(error)).toBe('El servidor no responde. Inténtalo de nuevo.')
      expect(serverSentence(error, 'Ocurrió un error')).toBe('Ocurrió un error')
    }
  })

  it('stays on the screen for five to eight seconds', () => {
    expect(DURATIONS).toEqual({ success: 5000, info: 6000, error: 8000 })
  })
})
