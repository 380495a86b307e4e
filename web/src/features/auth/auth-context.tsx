import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { openingLink } from '#lib/auth-link.ts'
import { auth, catalogue } from '#lib/messages.ts'
import { notify } from '#lib/notify.ts'
import { recoverySlot } from '#lib/stored.ts'
import { hasStoredSession, supabase } from '#lib/supabase.ts'
import { type AuthActions, createAuthActions } from './auth-actions.ts'
import { watchSession } from './watch-session.ts'

/** The part of the signed-in user that the app needs. */
type Person = { id: string }

type SessionState = {
  user: Person | null
  /** True until the client has said whether there is a session. */
  loading: boolean
  /** True while the session came from a recovery link and the new password is not stored yet. */
  recovering: boolean
}

type AuthValue = SessionState & AuthActions

const AuthContext = createContext<AuthValue | null>(null)

if (openingLink.kind === 'recovery') recoverySlot.set('1')

/** After this long the dashboard shows its copy of the last response. */
const LATE_MS = 1500

const initial: SessionState = {
  user: null,
  loading: true,
  recovering: recoverySlot.get() !== null,
}

function nextState(before: SessionState, event: string, person: Person | null): SessionState {
  const settled = person === null || event === 'USER_UPDATED' || event === 'SIGNED_OUT'
  const recovering = event === 'PASSWORD_RECOVERY' || (before.recovering && !settled)
  const user = person && { id: person.id }
  // A refreshed token brings an equal user: keep the object, so that nothing renders again.
  const same = user !== null && before.user?.id === user.id
  return { user: same ? before.user : user, loading: false, recovering }
}

type AuthProviderProps = {
  children: ReactNode
  /** Runs at every sign-out: clears that person's data. */
  onLeave: () => void
  /** Who was signed in while there was a network: without one, a session expires without being renewed. */
  rememberedId: () => string | null
}

/** Holds the session. */
export function AuthProvider({ children, onLeave, rememberedId }: AuthProviderProps) {
  const cache = useQueryClient()
  const [state, setState] = useState(initial)
  // A server that confirms addresses by itself answers a sign-up with a session, and the event comes before
  // the answer. The specification says «Puedes iniciar sesión», so that session is dropped unseen.
  const signingUp = useRef(false)
  const signingOut = useRef(false)

  const leave = useCallback(() => {
    cache.clear()
    onLeave()
  }, [cache, onLeave])

  useEffect(() => {
    // Never await the client in here: it may be waiting for this very callback.
    const { data } = supabase.auth.onAuthStateChange((event, session) => {
      if (signingUp.current) return
      if (event === 'SIGNED_OUT') {
        leave()
        if (!signingOut.current) notify.info(auth.sessionEnded)
      }
      if (event === 'PASSWORD_RECOVERY') recoverySlot.set('1')
      else if (!session || event === 'USER_UPDATED') recoverySlot.clear()
      const id = session || !hasStoredSession() ? null : rememberedId()
      const absent = event === 'INITIAL_SESSION' && id ? { id } : null
      setState((before) => nextState(before, event, session?.user ?? absent))
    })
    // To renew a session may take half a minute where the server does not answer.
    const late = window.setTimeout(() => {
      const id = hasStoredSession() ? rememberedId() : null
      if (id) setState((before) => (before.loading ? nextState(before, 'LATE', { id }) : before))
    }, LATE_MS)
    return () => {
      window.clearTimeout(late)
      data.subscription.unsubscribe()
    }
  }, [leave, rememberedId])

  const signedIn = state.user !== null
  useEffect(() => (signedIn ? watchSession() : undefined), [signedIn])

  const actions = useMemo(() => createAuthActions(supabase, { signingUp, signingOut }), [])
  const value = useMemo(() => ({ ...state, ...actions }), [state, actions])
  return <AuthContext value={value}>{children}</AuthContext>
}

export function useAuth(): AuthValue {
  const value = use(AuthContext)
  if (!value) throw new Error(catalogue.outsideAuthProvider)
  return value
}
