import { expect, it } from 'vitest'
import { folded, matcher } from './search.ts'

it.each([
  ['nino', 'El NIÑO de Ávila', true],
  ['avila', 'El NIÑO de Ávila', true],
  ['niño el', 'El niño', true],
  ['el gato', 'El niño', false],
  ['عشاء', 'عشاء رومانسي', true],
  ['🎉', 'Fiesta 🎉', true],
  ['  ', 'Lo que sea', true],
  ['.*', 'Lo que sea', false],
])('%s in %s: %s', (search, text, found) => {
  expect(matcher(search)(folded(text))).toBe(found)
})
