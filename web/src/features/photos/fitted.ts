/** The size of a picture whose longer side is at most so many pixels; none is made larger. */
export function fitted(width: number, height: number, most: number) {
  const factor = Math.min(1, most / Math.max(width, height))
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  }
}
