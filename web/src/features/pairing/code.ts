/** Invitation codes as people write and send them. */
import { INVITATION_PARAM, paths } from '#lib/paths.ts'

const LENGTH = 8

/** The eight symbols, without the dash, spaces or case that people add; null when there are not eight. */
export function normalizeCode(typed: string): string | null {
  const symbols = typed.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return symbols.length === LENGTH ? symbols : null
}

/** XXXX-XXXX */
export function showCode(code: string): string {
  const symbols = normalizeCode(code)
  return symbols ? `${symbols.slice(0, 4)}-${symbols.slice(4)}` : code
}

export function invitationLink(code: string, origin: string): string {
  return `${origin}${paths.auth}?${INVITATION_PARAM}=${showCode(code)}`
}
