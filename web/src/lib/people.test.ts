import { describe, expect, it } from 'vitest'
import { peopleOf } from './people.ts'

const initials = (one: string, other: string) =>
  peopleOf({ id: 'b', nombre: one }, { id: 'a', nombre: other }).map((each) => each.initials)

describe('the signs of two people', () => {
  it.each([
    ['Ana', 'Luis', ['A', 'L']],
    ['ana', 'Ángel', ['A', 'Á']],
    ['Ana', 'Alba', ['AN', 'AL']],
    ['Ana', 'Ana', ['2', '1']],
    ['👩‍🚀 Eva', '🇪🇸', ['👩‍🚀', '🇪🇸']],
    ['e\u0301ric', 'Eva', ['E\u0301', 'E']],
  ])('%s and %s', (one, other, expected) => {
    expect(initials(one, other)).toEqual(expected)
  })

  it('gives both partners the same colours', () => {
    const ana = { id: 'a', nombre: 'Ana' }
    const luis = { id: 'b', nombre: 'Luis' }
    const tones = (self: typeof ana, partner: typeof ana) =>
      Object.fromEntries(peopleOf(self, partner).map(({ id, tone }) => [id, tone]))
    expect(tones(ana, luis)).toEqual(tones(luis, ana))
  })

  it('knows somebody alone', () => {
    expect(peopleOf({ id: 'a', nombre: 'Ana' }, null)).toEqual([
      { id: 'a', nombre: 'Ana', initials: 'A', tone: 1 },
    ])
  })
})
