import { describe, expect, it } from 'vitest'
import { nameOf } from './push.ts'

describe('a device', () => {
  it.each([
    [
      'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
      'Chrome, Android',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Safari/604.1',
      'Safari, iPhone',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15) Gecko/20100101 Firefox/145.0', 'Firefox, Mac'],
    ['', 'Navegador'],
  ])('%s is named %s', (userAgent, name) => {
    expect(nameOf(userAgent)).toBe(name)
  })
})
