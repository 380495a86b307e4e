import { describe, expect, it } from 'vitest'
import { dashboard } from './messages.ts'
import { importing } from './messages-later.ts'

describe('two names together', () => {
  it.each([
    ['Luis', 'Ana y Luis'],
    ['Inés', 'Ana e Inés'],
    ['Íñigo', 'Ana e Íñigo'],
    ['Hilario', 'Ana e Hilario'],
    ['ysabel', 'Ana e ysabel'],
    ['Yolanda', 'Ana y Yolanda'],
    ['Iago', 'Ana y Iago'],
    ['Hiedra', 'Ana y Hiedra'],
    ['Hugo', 'Ana y Hugo'],
  ])('with %s are joined as they are spoken', (name, words) => {
    expect(dashboard.together(['Ana', name])).toBe(words)
    expect(dashboard.printed(['Ana', name], 'Marzo')).toBe(`Planes de ${words} · Marzo`)
  })

  it('alone are one', () => {
    expect(dashboard.together(['Ana'])).toBe('Ana')
  })
})

it('what was proposed of a file agrees in number', () => {
  expect(importing.partly(1, 2)).toBe('Se ha propuesto 1 de 2 planes')
  expect(importing.partly(0, 1)).toBe('Se han propuesto 0 de 1 plan')
})
