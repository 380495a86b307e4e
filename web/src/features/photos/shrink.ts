/** Scales a picture down for upload. Redrawing removes its metadata (place, camera). */

import { fitted } from './fitted.ts'

const WHOLE_PX = 2048
const SMALL_PX = 320
/** The server's limit of one file, in bytes. */
const MOST_BYTES = 3 * 1024 * 1024
/** Larger files are not decoded, in bytes. */
const MOST_READ_BYTES = 60 * 1024 * 1024
const MOST_PIXELS = 50_000_000
const QUALITIES = [0.85, 0.7, 0.5] as const

type Shrunk = { ancho: number; alto: number; whole: Blob; small: Blob }

/** Throws if it is no picture or too large to decode on a phone. */
export async function shrink(file: Blob): Promise<Shrunk> {
  if (file.type === 'image/svg+xml' || file.size > MOST_READ_BYTES) throw new Error('no photo')
  const picture = await createImageBitmap(file)
  try {
    if (picture.width * picture.height > MOST_PIXELS) throw new Error('too many pixels')
    const whole = fitted(picture.width, picture.height, WHOLE_PX)
    const small = fitted(picture.width, picture.height, SMALL_PX)
    return {
      ancho: whole.width,
      alto: whole.height,
      whole: await drawn(picture, whole),
      small: await drawn(picture, small),
    }
  } finally {
    picture.close()
  }
}

type Size = ReturnType<typeof fitted>

async function drawn(picture: ImageBitmap, { width, height }: Size): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('no canvas')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(picture, 0, 0, width, height)
  for (const quality of QUALITIES) {
    const made = await encoded(canvas, quality)
    if (made.size <= MOST_BYTES) return made
  }
  throw new Error('too large')
}

/** A browser that writes no WebP gives PNG instead. */
async function encoded(canvas: HTMLCanvasElement, quality: number): Promise<Blob> {
  const webp = await blobOf(canvas, 'image/webp', quality)
  if (webp?.type === 'image/webp') return webp
  const jpeg = await blobOf(canvas, 'image/jpeg', quality)
  if (!jpeg) throw new Error('not encoded')
  return jpeg
}

const blobOf = (canvas: HTMLCanvasElement, type: string, quality: number) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
