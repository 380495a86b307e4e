import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useAuth } from '#features/auth/auth-context.tsx'
import { openingLink } from '#lib/auth-link.ts'
import { auth } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import { paths } from '#lib/paths.ts'

/** Notifies about the result of a mailed link that opened this page, and redirects a recovery to /auth. */
export function OpeningLinkNotice() {
  const { loading, user, recovering } = useAuth()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const misplaced = recovering && pathname === paths.landing

  // No cleanup: a repeated notification has the same id and shows once.
  useEffect(() => {
    if (loading) return
    if (openingLink.kind === 'error') notify.error(auth.badLink)
    if (openingLink.kind === 'confirmation' && user) notify.success(auth.confirmed)
  }, [loading, user])

  // Nothing to clean up: a navigation.
  useEffect(() => {
    if (misplaced) navigate(paths.auth, { replace: true })
  }, [misplaced, navigate])

  return null
}
