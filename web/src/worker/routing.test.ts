import { describe, expect, it } from 'vitest'
import { answersFromCache, isPage } from './routing.ts'

describe('the service worker', () => {
  it('takes the app’s routes for pages, and /auth is one of them', () => {
    for (const path of ['/', '/auth', '/dashboard', '/nada']) expect(isPage(path)).toBe(true)
  })

  it.each([
    '/auth/v1/token',
    '/auth/v1',
    '/rest/v1/actividades',
    '/realtime/v1/websocket',
    '/storage/v1/object/sign/recuerdos/a',
    '/functions/v1/hola',
    '/mailbox',
  ])('never touches %s', (path) => {
    expect(isPage(path)).toBe(false)
    expect(answersFromCache(path, [path])).toBe(false)
  })

  it('answers the files of its own build alone', () => {
    expect(answersFromCache('/assets/a-1.js', ['/assets/a-1.js'])).toBe(true)
    expect(answersFromCache('/assets/b-2.js', ['/assets/a-1.js'])).toBe(false)
  })
})
