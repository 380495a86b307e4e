import { describe, expect, it } from 'vitest'
import { pathOf, readAlert } from './alert.ts'

describe('a push message', () => {
  it('is a notification that leads to its plan', () => {
    const message = { titulo: 'Luis propone', cuerpo: 'Cena', url: '/dashboard?plan=a', tema: 'a' }
    expect(readAlert(message)).toEqual({
      title: 'Luis propone',
      said: 'Luis propone · Cena',
      options: { body: 'Cena', tag: 'a', icon: '/icon-192.png', lang: 'es', data: message.url },
    })
  })

  it.each([null, undefined, 5, 'text', [], { titulo: 5, cuerpo: {}, url: 7, tema: '' }])(
    'that says %o is the app’s name alone',
    (message) => {
      const { title, options } = readAlert(message)
      expect([title, options.body, options.tag]).toEqual(['Planes en Pareja', '', 'planes'])
      expect(options.data).toBe('/dashboard')
    },
  )

  it('of a plan is left to the page that is in view', () => {
    for (const evento of ['propuestas', 'respuestas', 'eliminados'])
      expect(readAlert({ titulo: 'Luis ha aceptado', evento }).said).toBe('')
    expect(readAlert({ titulo: 'Luis comenta', evento: 'comentarios' }).said).toBe('Luis comenta')
  })

  it.each(['https://evil.example', '//evil.example', '/dashboards', '/auth', 'javascript:1', ''])(
    'does not lead to %s',
    (url) => expect(pathOf(url)).toBe('/dashboard'),
  )
})
