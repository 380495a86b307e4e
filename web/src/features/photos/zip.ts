/** Writes a .zip of files that are compressed already: stored, without copying their bytes. */

export type ZipFile = { name: string; content: Blob; crc: number; at: Date }

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** The checksum of RFC 1952. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 255] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

const UTF_8_NAMES = 0x0800
const VERSION = 20

function bytesOf(...fields: readonly [number, 2 | 4][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((sum, [, size]) => sum + size, 0)))
  let at = 0
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += size
  }
  return new Uint8Array(view.buffer)
}

/** The fields that both headers of a file share; times are local. */
function common({ content, crc, at }: ZipFile, nameLength: number): [number, 2 | 4][] {
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1)
  const day = ((at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate()
  return [
    [VERSION, 2],
    [UTF_8_NAMES, 2],
    [0, 2],
    [time, 2],
    [day, 2],
    [crc, 4],
    [content.size, 4],
    [content.size, 4],
    [nameLength, 2],
    [0, 2],
  ]
}

export function zip(files: readonly ZipFile[]): Blob {
  const parts: BlobPart[] = []
  const directory: BlobPart[] = []
  let offset = 0
  let directorySize = 0
  for (const file of files) {
    const name = new TextEncoder().encode(file.name)
    const fields = common(file, name.length)
    const local = bytesOf([0x04034b50, 4], ...fields)
    const central = bytesOf(
      [0x02014b50, 4],
      [VERSION, 2],
      ...fields,
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [offset, 4],
    )
    parts.push(local, name, file.content)
    directory.push(central, name)
    offset += local.length + name.length + file.content.size
    directorySize += central.length + name.length
  }
  const end = bytesOf(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [directorySize, 4],
    [offset, 4],
    [0, 2],
  )
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}
