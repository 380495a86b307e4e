import { expect, test } from 'vitest'
import { fitted } from './fitted.ts'

test.each([
  [4000, 3000, 2048, 2048, 1536],
  [3000, 4000, 320, 240, 320],
  [100, 50, 320, 100, 50],
  [10_000, 1, 320, 320, 1],
  [2048, 2048, 2048, 2048, 2048],
])('%i×%i within %i is %i×%i', (width, height, most, w, h) => {
  expect(fitted(width, height, most)).toEqual({ width: w, height: h })
})
