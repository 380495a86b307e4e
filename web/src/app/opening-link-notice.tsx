import { useEffect } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useAuth } from '#features/auth/auth-context.tsx'
import { openingLink } from '#lib/auth-link.ts'
import { openingLink as text } from '#lib/messages-later.ts'
import { notify } from '#lib/notify.ts'
import { paths } from '#lib/paths.ts'

/** Notifies about the result of a mailed link that opened this page, and redirects a recovery to /auth. */
export default function OpeningLinkNotice() {
  const { loading, user, recovering } = useAuth()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const misplaced = recovering && pathname === paths.landing

  // No cleanup: a repeated notification has the same id and shows once.
  useEffect(() => {
    if (loading) return
    if (openingLink.kind === 'error') notify.error(text.bad)
    if (openingLink.kind === 'half') notify.info(text.half)
    if (openingLink.kind === 'address' && user) notify.success(text.address)
    if (openingLink.kind === 'confirmation' && user) notify.success(text.confirmed)
  }, [loading, user])

  // Nothing to clean up: a navigation.
  useEffect(() => {
    if (misplaced) navigate(paths.auth, { replace: true })
  }, [misplaced, navigate])

  return null
}
