/** The only place where the app's addresses are written. */
export const paths = {
  landing: '/',
  auth: '/auth',
  dashboard: '/dashboard',
} as const

/** The query parameter of an invitation link, `/auth?invitacion=XXXX-XXXX`. */
export const INVITATION_PARAM = 'invitacion'
