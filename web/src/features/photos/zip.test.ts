import { expect, test } from 'vitest'
import { crc32, zip } from './zip.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('the checksum is that of RFC 1952', () => {
  expect(crc32(bytes('123456789'))).toBe(0xcbf43926)
  expect(crc32(bytes(''))).toBe(0)
})

test('every file stands where the directory says, whole', async () => {
  const files = ['uno', 'dos, más largo'].map((text, n) => ({
    name: `${n} ñandú.webp`,
    content: new Blob([text]),
    crc: crc32(bytes(text)),
    at: new Date(2026, 10, 22, 21, 30, 8),
  }))
  const made = new Uint8Array(await zip(files).arrayBuffer())
  const view = new DataView(made.buffer)
  const end = made.length - 22
  expect(view.getUint32(end, true)).toBe(0x06054b50)
  expect(view.getUint16(end + 10, true)).toBe(2)
  let entry = view.getUint32(end + 16, true)
  for (const [n, text] of ['uno', 'dos, más largo'].entries()) {
    expect(view.getUint32(entry, true)).toBe(0x02014b50)
    const length = view.getUint16(entry + 28, true)
    const name = made.slice(entry + 46, entry + 46 + length)
    expect(new TextDecoder().decode(name)).toBe(`${n} ñandú.webp`)
    const local = view.getUint32(entry + 42, true)
    expect(view.getUint32(local, true)).toBe(0x04034b50)
    const start = local + 30 + length
    const size = view.getUint32(local + 18, true)
    expect(new TextDecoder().decode(made.slice(start, start + size))).toBe(text)
    expect(view.getUint16(local + 8, true)).toBe(0)
    entry += 46 + length
  }
})
