import { describe, expect, it } from 'vitest'
import { piecesOf } from './links.ts'

const links = (text: string) => piecesOf(text).filter((piece) => typeof piece !== 'string')

describe('addresses in a text', () => {
  it.each([
    ['https://a.es', 'https://a.es/', 'https://a.es'],
    ['Mira www.cine.es.', 'https://www.cine.es/', 'www.cine.es'],
    ['(http://a.es/b?c=d#e)', 'http://a.es/b?c=d#e', 'http://a.es/b?c=d#e'],
    ['«https://a.es/x», y', 'https://a.es/x', 'https://a.es/x'],
    ['https://a.es/Cine_(2026)', 'https://a.es/Cine_(2026)', 'https://a.es/Cine_(2026)'],
    ['https://xn--pple-43d.com', 'https://xn--pple-43d.com/', 'https://xn--pple-43d.com'],
    ['https://a.es:8443/', 'https://a.es:8443/', 'https://a.es:8443/'],
  ])('%s', (text, href, shown) => {
    expect(links(text)).toEqual([{ href, text: shown }])
    expect(
      piecesOf(text)
        .map((p) => (typeof p === 'string' ? p : p.text))
        .join(''),
    ).toBe(text)
  })

  it.each([
    'javascript:alert(1)',
    'javascript:https://a.es',
    'https://a@b.es',
    'https://banco.es@malo.es/',
    'https://a:b@c.es',
    'https://\u202ebanco.es',
    'https://a.es/\u202egpj.exe',
    'https://a\u200b.es',
    'https://аррlе.com',
    'https://bücher.example',
    'https://localhost/x',
    'https://127.0.0.1/',
    'https://[::1]/',
    'ftp://a.es',
    'ana@www.cine.es',
    'https://',
    'www.',
  ])('C3.2 %s is text', (text) => {
    expect(piecesOf(text)).toEqual([text])
  })

  it('C3.2 are twenty at most, in a text of any length', () => {
    const many = 'https://a.es '.repeat(5000)
    expect(links(many)).toHaveLength(20)
  })
})
