/** The only place where the app's addresses are written. */
export const paths = {
  landing: '/',
  auth: '/auth',
  dashboard: '/dashboard',
} as const

/** The query parameter of /dashboard that opens a section of the settings. */
export const SETTINGS_PARAM = 'ajustes'

/** The query parameter of an invitation link, `/auth?invitacion=XXXX-XXXX`. */
export const INVITATION_PARAM = 'invitacion'

/** A link to one plan, for whoever shares it. */
export const planLink = (id: string, origin: string): string =>
  `${origin}${paths.dashboard}?plan=${id}`
