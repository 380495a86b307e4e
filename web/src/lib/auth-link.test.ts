import { describe, expect, it } from 'vitest'
import { readAuthLink } from './auth-link.ts'

const at = (rest: string) => readAuthLink(`https://planes.example${rest}`)

describe('the link that opened the page', () => {
  it('is none for the app’s own addresses', () => {
    for (const rest of ['/', '/auth', '/auth?invitacion=ABCD-EFGH', '/dashboard#actividades'])
      expect(at(rest)).toEqual({ kind: 'none' })
  })

  it('is known by the hash of the implicit flow', () => {
    expect(at('/#access_token=a&refresh_token=r&type=signup')).toEqual({ kind: 'confirmation' })
    expect(at('/auth#access_token=a&type=recovery')).toEqual({ kind: 'recovery' })
    expect(at('/#access_token=a&type=magiclink')).toEqual({ kind: 'session' })
  })

  it('is known where an address is changed, by two links', () => {
    expect(at('/#message=Confirmation+link+accepted.&sb=')).toEqual({ kind: 'half' })
    expect(at('/#access_token=a&type=email_change')).toEqual({ kind: 'address' })
  })

  it('is known by the query of the code flow', () => {
    expect(at('/?code=1234')).toEqual({ kind: 'session' })
  })

  it('is a refusal, whatever its English words', () => {
    const query = 'error=access_denied&error_code=otp_expired&error_description='
    for (const rest of [`/auth#${query}Email+link+is+invalid`, `/auth?${query}x`, '/#error=x'])
      expect(at(rest)).toEqual({ kind: 'error' })
  })
})
