import { Fragment, useMemo } from 'react'
import { piecesOf } from '#lib/links.ts'

/** Somebody's text as it was typed, its web addresses as links. */
export function LinkedText({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return pieces.map((piece, place) =>
    typeof piece === 'string' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the text
      <Fragment key={place}>{piece}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the text
      <a key={place} href={piece.href} target="_blank" rel="noopener noreferrer">
        {piece.text}
      </a>
    ),
  )
}
