import { describe, expect, it } from 'vitest'
import { addressOf, webcalOf } from './api.ts'

describe('the calendar address', () => {
  it('names the function, its secret and the public key, which calendars send in no header', () => {
    const address = addressOf('ab12')
    expect(address.href).toBe(
      'http://backend.test/rest/v1/rpc/calendario?secreto=ab12&apikey=sb_publishable_test',
    )
    expect(webcalOf(address)).toBe(address.href.replace('http:', 'webcal:'))
  })
})
