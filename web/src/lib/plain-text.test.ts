import { describe, expect, it } from 'vitest'
import { plainLine, plainText } from './plain-text.ts'

describe('0.8 what people write', () => {
  it('has no control characters, and line breaks in long texts alone', () => {
    expect(plainText(' a\u0000b\tc\r\nd\re\n\n f\u0085g ')).toBe('a b c\nd\ne\n\n f g')
    expect(plainLine('a\r\nb\u2028c\u0007d')).toBe('a b c d')
  })

  it('does not turn the text around it', () => {
    expect(plainLine('\u202egniK\u202c \u2066x\u2069')).toBe('gniK   x')
    expect(plainText('Cena\u200e en ‫casa‬')).not.toMatch(/[\u202a-\u202e]/)
  })

  it('loses what has no width, and keeps emoji and scripts that join whole', () => {
    expect(plainLine('Ce\u200bna\ufeff\u00ad')).toBe('Cena')
    for (const whole of ['👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣', 'می‌خواهم', 'क्‍ष', 'שָׁלוֹם'])
      expect(plainLine(whole)).toBe(whole)
  })

  it('is empty where nothing of it would be seen', () => {
    for (const unseen of [
      '',
      ' \u00a0\u3000',
      '\u200b\u200d',
      '\u200f\u061c',
      '\u3164',
      '\u2800',
      '\ufe0f',
    ])
      expect(plainLine(unseen)).toBe('')
  })

  it('has no half of a character', () => {
    expect(plainLine('a\ud83d b')).toBe('a  b')
  })
})
