/** Normalises user text as the server accepts it (visible text), by the rules of planes.legible and planes.se_ve. */

/** Control characters but line breaks, halves of characters, and what embeds, overrides or isolates a direction. */
const UNREADABLE = /[\u202a-\u202e\u2066-\u2069\p{Cs}]|(?!\n)\p{Cc}/gu

/** Of no width and no use within a text; joiners make emoji and are kept. */
const NOTHING = /[\u00ad\u200b\u2060\ufeff]/g

/** Blanks, joiners, fillers, marks of direction and variants: of these alone nothing is seen. */
const UNSEEN = String.raw`\u0001-\u0020\u007f-\u00a0\u00ad\u034f\u061c\u115f-\u1160\u1680\u17b4-\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}`
const SEEN = new RegExp(`[^${UNSEEN}]`, 'u')

/** A text of several lines, trimmed; empty where nothing of it would be seen. */
export function plainText(text: string): string {
  const plain = text.replace(/\r\n?/g, '\n').replace(NOTHING, '').replace(UNREADABLE, ' ').trim()
  return SEEN.test(plain) ? plain : ''
}

/** A text of one line, trimmed; empty where nothing of it would be seen. */
export const plainLine = (text: string): string =>
  plainText(text.replace(/[\r\n\u2028\u2029]+/g, ' '))
