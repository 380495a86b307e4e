import { describe, expect, it } from 'vitest'
import { slotIn } from './stored.ts'

/** A device with room for so many characters in all. */
function device(room: number): Storage {
  const kept = new Map<string, string>()
  const setItem = (key: string, value: string) => {
    if (value.length > room) throw new DOMException('full', 'QuotaExceededError')
    kept.set(key, value)
  }
  const getItem = (key: string) => kept.get(key) ?? null
  return { getItem, setItem, removeItem: (key: string) => kept.delete(key) } as unknown as Storage
}

describe('what is stored', () => {
  it('B11 is never an older value, also where there is no room for the new one', () => {
    const small = device(12)
    const slot = slotIn(() => small, 'copia')
    slot.set('of the two')
    expect(slot.get()).toBe('of the two')
    slot.set('of one alone, who planned much')
    expect(slot.get()).toBeNull()
  })

  it('is nothing, without an error, where storage is forbidden', () => {
    const slot = slotIn(() => {
      throw new DOMException('forbidden', 'SecurityError')
    }, 'copia')
    slot.set('x')
    expect(slot.get()).toBeNull()
  })
})
