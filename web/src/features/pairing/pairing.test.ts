import { describe, expect, it } from 'vitest'
import { invitationLink, normalizeCode, showCode } from './code.ts'
import { ownInvitation } from './own-invitation.ts'

describe('an invitation code', () => {
  it('is read however people type it', () => {
    for (const typed of ['K7QX2MPD', 'k7qx-2mpd', ' K7QX 2MPD '])
      expect(normalizeCode(typed)).toBe('K7QX2MPD')
    expect(normalizeCode('K7QX')).toBeNull()
    expect(normalizeCode('')).toBeNull()
  })

  it('is shown in two halves, also in its link', () => {
    expect(showCode('K7QX2MPD')).toBe('K7QX-2MPD')
    expect(invitationLink('K7QX2MPD', 'https://planes.example')).toBe(
      'https://planes.example/auth?invitacion=K7QX-2MPD',
    )
  })

  it('is remembered for its maker until it expires', () => {
    const caduca_en = '2026-11-28T12:00:00+00:00'
    ownInvitation.keep('ana', { codigo: 'K7QX2MPD', caduca_en })
    expect(ownInvitation.read('ana', new Date('2026-11-27'))?.codigo).toBe('K7QX2MPD')
    expect(ownInvitation.read('luis', new Date('2026-11-27'))).toBeNull()
    expect(ownInvitation.read('ana', new Date('2026-11-29'))).toBeNull()
    localStorage.setItem('planes.mi-invitacion', '{broken')
    expect(ownInvitation.read('ana', new Date('2026-11-27'))).toBeNull()
  })
})
