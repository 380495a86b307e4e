import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync('src/styles/tokens.css', 'utf8')

const tokens = new Map(
  Array.from(
    css.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g),
    ([, name, light, dark]) => [name, { light: light ?? '', dark: dark ?? '' }],
  ),
)

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(first: string, second: string, theme: 'light' | 'dark'): number {
  const [a, b] = [tokens.get(first), tokens.get(second)]
  if (!a || !b) throw new Error(`no token ${a ? second : first}`)
  const [dim = 0, bright = 0] = [luminance(a[theme]), luminance(b[theme])].sort((x, y) => x - y)
  return (bright + 0.05) / (dim + 0.05)
}

const text: [string, string][] = [
  ['text', 'bg'],
  ['text', 'surface'],
  ['text', 'sunken'],
  ['text', 'primary-tint'],
  ['muted', 'bg'],
  ['muted', 'surface'],
  ['muted', 'sunken'],
  ['muted', 'primary-tint'],
  ['primary', 'bg'],
  ['primary', 'surface'],
  ['primary', 'primary-tint'],
  ['primary-hover', 'surface'],
  ['on-primary', 'primary'],
  ['on-primary', 'primary-hover'],
  ['green', 'surface'],
  ['green', 'green-tint'],
  ['on-green', 'green'],
  ['on-green', 'green-hover'],
  ['red', 'surface'],
  ['red', 'red-tint'],
  ['on-red', 'red'],
  ['on-red', 'red-hover'],
  ['on-persona-1', 'persona-1'],
  ['on-persona-2', 'persona-2'],
  ['persona-1', 'surface'],
  ['persona-1', 'persona-1-tint'],
  ['persona-2', 'surface'],
  ['persona-2', 'persona-2-tint'],
]

const edges: [string, string][] = [
  ['control', 'bg'],
  ['control', 'surface'],
  ['focus', 'bg'],
  ['focus', 'surface'],
  ['focus', 'sunken'],
  ['primary', 'sunken'],
  ['green', 'bg'],
  ['red', 'bg'],
  ['green', 'primary-tint'],
  ['red', 'primary-tint'],
]

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  it.each(text)('%s reads on %s', (ink, paper) => {
    expect(contrast(ink, paper, theme)).toBeGreaterThanOrEqual(4.5)
  })

  it.each(edges)('%s stands out from %s', (edge, ground) => {
    expect(contrast(edge, ground, theme)).toBeGreaterThanOrEqual(3)
  })
})
