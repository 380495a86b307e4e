/** Avatars: initials and a colour for each partner, the same on both partners' screens. */

export type Person = {
  id: string
  nombre: string
  /** One or two graphemes, or a number where the names begin alike. */
  initials: string
  /** By the order of the two ids. */
  tone: 1 | 2
}

type Named = { id: string; nombre: string }

const GRAPHEME = /\p{RI}\p{RI}|\P{M}[\p{M}\p{EMod}]*(?:\u200d\P{M}[\p{M}\p{EMod}]*)*/gu

const beginning = (nombre: string, count: number): string =>
  (nombre.trim().match(GRAPHEME) ?? []).slice(0, count).join('').toLocaleUpperCase('es')

/** The person's own sign, and the partner's where there is one. */
export function peopleOf(self: Named, partner: Named | null): readonly Person[] {
  const both = partner ? [self, partner] : [self]
  const order = both.map(({ id }) => id).sort()
  const apart = (count: number) => new Set(both.map(({ nombre }) => beginning(nombre, count))).size
  const count = [1, 2].find((each) => apart(each) === both.length)
  return both.map(({ id, nombre }) => {
    const tone = order.indexOf(id) === 0 ? 1 : 2
    return { id, nombre, tone, initials: count ? beginning(nombre, count) : String(tone) }
  })
}
