/** Text search, insensitive to case and accents; all words must match. */

/** Normalises a text: lower case, without diacritics or signs of no width. */
export const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{Mn}\p{Cf}]/gu, '')
    .toLowerCase()

/** A predicate on normalised texts: every word of the search must be in them. */
export function matcher(search: string): (text: string) => boolean {
  const words = folded(search).split(/\s+/).filter(Boolean)
  return (text) => words.every((word) => text.includes(word))
}
