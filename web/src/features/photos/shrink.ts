/** A picture made small enough to send. Drawn anew, it has nothing left of where and with what it was taken. */

import { fitted } from './fitted.ts'

const WHOLE_PX = 2048
const SMALL_PX = 320
/** What the server takes of one file. */
const MOST_BYTES = 3 * 1024 * 1024
/** Beyond it nothing is even decoded. */
const MOST_READ_BYTES = 60 * 1024 * 1024
const MOST_PIXELS = 50_000_000
const QUALITIES = [0.85, 0.7, 0.5] as const

type Shrunk = { ancho: number; alto: number; whole: Blob; small: Blob }

/** Throws for what is no picture, or one beyond what a phone can decode. */
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
