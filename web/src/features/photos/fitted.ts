/** The size of a picture scaled down to at most this many pixels on its longer side; never enlarged. */
export function fitted(width: number, height: number, most: number) {
  const factor = Math.min(1, most / Math.max(width, height))
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  }
}
