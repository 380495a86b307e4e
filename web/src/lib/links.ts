/** Linkifies the web addresses in a user's text; the link's text stays as it was typed. */

type Piece = string | { href: string; text: string }

const MAX_LINKS = 20
const CANDIDATE = /(?:https?:\/\/|www\.)[^\s<>"'«»“”]+/gi
/** Closing signs at an address's end belong to the sentence around it. */
const CLOSING = /[.,;:!?…)\]}*_~]+$/
/** Spoofed hosts are no links: bidirectional or invisible characters, mixed alphabets (homographs). */
const DECEIVING = /[\p{Cf}\p{Cc}\p{Co}]/u
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i

/** A closing bracket that was opened in the address is part of it. */
function endOf(candidate: string): string {
  const end = candidate.replace(CLOSING, '')
  const rest = candidate.slice(end.length)
  return rest.startsWith(')') && end.includes('(') && !end.includes(')') ? `${end})` : end
}

/** The URL, or null where it is malformed or its host may be spoofed. */
function hrefOf(text: string): string | null {
  const [, scheme = '', host = '', rest = ''] = text.match(/^(https?:\/\/)?([^/?#]*)(.*)$/is) ?? []
  if (DECEIVING.test(text) || !HOST.test(host.replace(/:\d{1,5}$/, ''))) return null
  const href = `${scheme || 'https://'}${host}${rest}`
  return URL.canParse(href) ? new URL(href).href : null
}

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    const typed = endOf(candidate)
    const before = text[index - 1] ?? ' '
    const href = /[\p{L}\p{N}@/.:]/u.test(before) ? null : hrefOf(typed)
    if (!href) continue
    if (index > from) pieces.push(text.slice(from, index))
    pieces.push({ href, text: typed })
    from = index + typed.length
    if (pieces.filter((piece) => typeof piece !== 'string').length === MAX_LINKS) break
  }
  return from < text.length || pieces.length === 0 ? [...pieces, text.slice(from)] : pieces
}
