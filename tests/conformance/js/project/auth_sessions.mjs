// auth-js: signing up, in and out, sessions, users' own data. Here addresses need confirmation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertError,
  AuthApiError,
  AuthSessionMissingError,
  AuthWeakPasswordError,
  claimsOf,
  follow,
  inbox,
  linkOf,
  mailTo,
  newAdmin,
  newClient,
  newEmail,
  newPerson,
  otpOf,
  PASSWORD,
  PUBLISHABLE,
  storage,
  URL_BASE,
  valueOf,
} from '../support.mjs'

const APP = 'https://app.example.com/welcome'
const signIn = (client, email, password = PASSWORD) => client.auth.signInWithPassword({ email, password })

test('signUp without confirmation gives a user and no session', async () => {
  const client = newClient()
  const email = newEmail('eva')
  const { user, session } = valueOf(
    await client.auth.signUp({ email, password: PASSWORD, options: { data: { nombre: 'Eva' } } }),
  )
  assert.equal(session, null)
  assert.equal(user.email, email)
  assert.equal(user.user_metadata.nombre, 'Eva')
  assert.equal(user.identities[0].provider, 'email')
  assert.equal(user.email_confirmed_at, undefined)
  assertError(await signIn(client, email), { code: 'email_not_confirmed', status: 400, message: 'Email not confirmed' })
})

test('the link of the mail confirms and lands on the allowed page with a session', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo: APP } }))
  const { target, hash } = await follow(linkOf(await mailTo(email)))
  assert.equal(target.origin + target.pathname, APP)
  assert.equal(hash.get('type'), 'signup')
  assert.equal(hash.get('token_type'), 'bearer')
  const { user } = valueOf(await client.auth.getUser(hash.get('access_token')))
  assert.ok(user.email_confirmed_at)
  valueOf(await signIn(client, email))
})

test('a forbidden redirect becomes the site\'s own address', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(
    await client.auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo: 'https://evil.example.org/' } }),
  )
  const { target } = await follow(linkOf(await mailTo(email)))
  assert.equal(target.origin, URL_BASE)
})

test('a link works once', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD }))
  const link = linkOf(await mailTo(email))
  await follow(link)
  const { hash } = await follow(link)
  assert.equal(hash.get('error'), 'access_denied')
  assert.equal(hash.get('error_code'), 'otp_expired')
  assert.equal(hash.get('error_description'), 'Email link is invalid or has expired')
})

test('verifyOtp with the code of the mail signs in', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD }))
  const token = otpOf(await mailTo(email))
  const wrong = token === '000000' ? '000001' : '000000'
  assertError(await client.auth.verifyOtp({ email, token: wrong, type: 'signup' }), {
    code: 'otp_expired',
    status: 403,
    message: 'Token has expired or is invalid',
  })
  const { session } = valueOf(await client.auth.verifyOtp({ email, token, type: 'signup' }))
  assert.equal(claimsOf(session.access_token).amr[0].method, 'otp')
})

test('verifyOtp with the hash of the mail signs in', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD }))
  const token_hash = linkOf(await mailTo(email)).searchParams.get('token')
  const { session } = valueOf(await client.auth.verifyOtp({ token_hash, type: 'email' }))
  assert.ok(session.refresh_token)
})

test('resend mails a new code and the old one dies', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD }))
  const old = linkOf(await mailTo(email)).searchParams.get('token')
  const answer = await client.auth.resend({ type: 'signup', email })
  assert.equal(answer.error, null)
  assert.notEqual(linkOf(await mailTo(email)).searchParams.get('token'), old)
  assertError(await client.auth.verifyOtp({ token_hash: old, type: 'email' }), { code: 'otp_expired' })
})

test('resend of an unknown address tells nothing', async () => {
  assert.equal((await newClient().auth.resend({ type: 'signup', email: newEmail() })).error, null)
})

test('signing up with a confirmed address looks like any sign-up', async () => {
  const { email, id } = await newPerson()
  const { user, session } = valueOf(await newClient().auth.signUp({ email, password: 'otra-clave' }))
  assert.equal(session, null)
  assert.notEqual(user.id, id)
  assert.deepEqual(user.identities, [])
})

test('errors are of the client\'s classes', async () => {
  const weak = await newClient().auth.signUp({ email: newEmail(), password: 'abc' })
  assert.ok(weak.error instanceof AuthWeakPasswordError)
  assert.deepEqual(weak.error.reasons, ['length'])
  assert.equal(weak.error.message, 'Password should be at least 6 characters.')
  const wrong = await signIn(newClient(), newEmail())
  assert.ok(wrong.error instanceof AuthApiError)
  const none = await newClient().auth.getUser()
  assert.ok(none.error instanceof AuthSessionMissingError)
})

test('bad addresses and passwords are refused with the original\'s words', async () => {
  const client = newClient()
  assertError(await client.auth.signUp({ email: 'not an address', password: PASSWORD }), {
    status: 400,
    code: 'validation_failed',
    message: 'Unable to validate email address: invalid format',
  })
  assertError(await client.auth.signUp({ email: newEmail(), password: '' }), {
    status: 400,
    code: 'validation_failed',
    message: 'Signup requires a valid password',
  })
  assertError(await client.auth.signUp({ email: newEmail(), password: 'x'.repeat(73) }), {
    status: 400,
    code: 'validation_failed',
    message: 'Password cannot be longer than 72 characters',
  })
})

test('the older error form is for clients that name no version', async () => {
  const answer = await fetch(`${URL_BASE}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE },
    body: JSON.stringify({ email: newEmail(), password: PASSWORD }),
  })
  assert.equal(answer.status, 400)
  assert.equal(answer.headers.get('x-supabase-api-version'), null)
  assert.deepEqual(await answer.json(), {
    code: 400,
    error_code: 'invalid_credentials',
    msg: 'Invalid login credentials',
  })
})

test('the newer error form answers the version that clients send', async () => {
  const answer = await fetch(`${URL_BASE}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE, 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ email: newEmail(), password: PASSWORD }),
  })
  assert.equal(answer.status, 400)
  assert.equal(answer.headers.get('x-supabase-api-version'), '2024-01-01')
  assert.deepEqual(await answer.json(), { code: 'invalid_credentials', message: 'Invalid login credentials' })
})

test('signInWithPassword ignores the case of the address', async () => {
  const { email, id } = await newPerson()
  assert.equal(valueOf(await signIn(newClient(), email.toUpperCase())).user.id, id)
})

test('getUser asks the server, getSession the storage', async () => {
  const { client, email, id } = await newPerson()
  const { user } = valueOf(await client.auth.getUser())
  assert.deepEqual([user.id, user.email, user.aud, user.role], [id, email, 'authenticated', 'authenticated'])
  assert.deepEqual(user.app_metadata, { provider: 'email', providers: ['email'] })
  assert.equal(valueOf(await client.auth.getSession()).session.user.id, id)
})

test('a session survives a new client over the same storage', async () => {
  const kept = storage()
  const { client, id } = await newPerson('ana', { auth: { storage: kept } })
  valueOf(await client.auth.getUser())
  const reopened = newClient(PUBLISHABLE, { auth: { storage: kept } })
  assert.equal(valueOf(await reopened.auth.getUser()).user.id, id)
})

test('getClaims verifies by the published ES256 key, without asking for the user', async () => {
  const asked = []
  const fetching = (url, init) => {
    asked.push(new URL(url).pathname)
    return fetch(url, init)
  }
  const { client, id } = await newPerson('ana', { global: { fetch: fetching } })
  asked.length = 0
  const { claims, header } = valueOf(await client.auth.getClaims())
  assert.deepEqual([claims.sub, header.alg], [id, 'ES256'])
  assert.deepEqual(asked, ['/auth/v1/.well-known/jwks.json'])
})

test('a forged token does not pass getClaims', async () => {
  const { client } = await newPerson()
  const { access_token: token } = valueOf(await client.auth.getSession()).session
  const [head, payload, signature] = token.split('.')
  const forged = { ...claimsOf(token), role: 'service_role' }
  const body = Buffer.from(JSON.stringify(forged)).toString('base64url')
  const answer = await client.auth.getClaims(`${head}.${body}.${signature}`)
  assert.match(answer.error.message, /signature/i)
  assertError(await client.auth.getUser(`${head}.${body}.${signature}`), { status: 403, code: 'bad_jwt' })
  assert.ok(payload)
})

test('updateUser merges metadata and a null deletes', async () => {
  const { client } = await newPerson('ana')
  valueOf(await client.auth.updateUser({ data: { a: 1, b: { c: 2 } } }))
  const { user } = valueOf(await client.auth.updateUser({ data: { a: null, d: 3 } }))
  const { nombre, a, b, d } = user.user_metadata
  assert.deepEqual({ nombre, a, b, d }, { nombre: 'ana', a: undefined, b: { c: 2 }, d: 3 })
})

test('updateUser changes the password and ends the other sessions', async () => {
  const { client, email } = await newPerson()
  const other = newClient()
  valueOf(await signIn(other, email))
  assertError(await client.auth.updateUser({ password: PASSWORD }), {
    status: 422,
    code: 'same_password',
    message: 'New password should be different from the old password.',
  })
  valueOf(await client.auth.updateUser({ password: 'nueva-clave' }))
  valueOf(await client.auth.getUser())
  assertError(await other.auth.getUser(), { name: 'AuthSessionMissingError' })
  valueOf(await signIn(newClient(), email, 'nueva-clave'))
})

test('a new address is confirmed from both mailboxes', async () => {
  const { client, email } = await newPerson()
  const next = newEmail('nueva')
  const { user } = valueOf(await client.auth.updateUser({ email: next }, { emailRedirectTo: APP }))
  assert.deepEqual([user.email, user.new_email], [email, next])
  const first = await follow(linkOf(await mailTo(email)))
  assert.match(first.hash.get('message'), /Confirmation link accepted/)
  const second = await follow(linkOf(await mailTo(next)))
  assert.equal(second.hash.get('type'), 'email_change')
  valueOf(await signIn(newClient(), next))
  assertError(await signIn(newClient(), email), { code: 'invalid_credentials' })
})

test('an address that somebody has is refused', async () => {
  const [one, two] = [await newPerson(), await newPerson()]
  assertError(await one.client.auth.updateUser({ email: two.email }), {
    status: 422,
    code: 'email_exists',
    message: 'A user with this email address has already been registered',
  })
})

test('refreshSession and setSession go on with the same session', async () => {
  const { client, id } = await newPerson()
  const old = valueOf(await client.auth.getSession()).session
  const { session } = valueOf(await client.auth.refreshSession())
  assert.equal(claimsOf(session.access_token).session_id, claimsOf(old.access_token).session_id)
  const other = newClient()
  const set = valueOf(await other.auth.setSession(session))
  assert.equal(set.user.id, id)
  const expired = { access_token: `${old.access_token}`, refresh_token: session.refresh_token }
  valueOf(await newClient().auth.setSession(expired))
})

test('an old refresh token is forgiven once more, a much older one is not', async () => {
  const { client } = await newPerson()
  const first = valueOf(await client.auth.getSession()).session
  const second = valueOf(await client.auth.refreshSession()).session
  const again = valueOf(await newClient().auth.refreshSession({ refresh_token: first.refresh_token })).session
  assert.equal(again.refresh_token, second.refresh_token)
  assertError(await newClient().auth.refreshSession({ refresh_token: 'aaaabbbbcccc' }), {
    status: 400,
    code: 'refresh_token_not_found',
    message: 'Invalid Refresh Token: Refresh Token Not Found',
  })
})

test('fifty refreshes at once agree on one token', async () => {
  const { client } = await newPerson()
  const { refresh_token } = valueOf(await client.auth.getSession()).session
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => newClient().auth.refreshSession({ refresh_token })),
  )
  const tokens = new Set(answers.map((answer) => valueOf(answer).session.refresh_token))
  assert.equal(tokens.size, 1)
})

test('ten sign-ups of one address at once make one user', async () => {
  const email = newEmail()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => newClient().auth.signUp({ email, password: PASSWORD })),
  )
  const ids = new Set(answers.filter(({ error }) => !error).map(({ data }) => data.user.id))
  assert.equal(ids.size, 1)
  for (const { error } of answers) assert.ok(!error || error.status < 500, String(error))
  valueOf(await newClient().auth.verifyOtp({ email, token: otpOf(await mailTo(email)), type: 'signup' }))
})

test('of ten verifications of one code at once, one wins', async () => {
  const email = newEmail()
  valueOf(await newClient().auth.signUp({ email, password: PASSWORD }))
  const token = otpOf(await mailTo(email))
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => newClient().auth.verifyOtp({ email, token, type: 'signup' })),
  )
  assert.equal(answers.filter(({ error }) => !error).length, 1)
  for (const answer of answers) if (answer.error) assertError(answer, { status: 403, code: 'otp_expired' })
})

test('signOut in its three scopes', async () => {
  const { client, email } = await newPerson()
  const [here, there] = [newClient(), newClient()]
  valueOf(await signIn(here, email))
  valueOf(await signIn(there, email))
  assert.equal((await here.auth.signOut({ scope: 'local' })).error, null)
  valueOf(await there.auth.getUser())
  assert.equal((await there.auth.signOut({ scope: 'others' })).error, null)
  valueOf(await there.auth.getUser())
  assertError(await client.auth.refreshSession(), { code: 'refresh_token_not_found' })
  assert.equal((await there.auth.signOut({ scope: 'global' })).error, null)
  assert.equal(valueOf(await there.auth.getSession()).session, null)
})

test('auth events come in order', async () => {
  const { email } = await newPerson()
  const client = newClient()
  const events = inbox()
  client.auth.onAuthStateChange((event, session) => events.put([event, Boolean(session)]))
  assert.deepEqual(await events.next(), ['INITIAL_SESSION', false])
  valueOf(await signIn(client, email))
  assert.deepEqual(await events.next(), ['SIGNED_IN', true])
  valueOf(await client.auth.refreshSession())
  assert.deepEqual(await events.next(), ['TOKEN_REFRESHED', true])
  valueOf(await client.auth.updateUser({ data: { x: 1 } }))
  assert.deepEqual(await events.next(), ['USER_UPDATED', true])
  await client.auth.signOut()
  assert.deepEqual(await events.next(), ['SIGNED_OUT', false])
})

test('resetPasswordForEmail leads to a new password', async () => {
  const { email } = await newPerson()
  const client = newClient()
  valueOf(await client.auth.resetPasswordForEmail(email, { redirectTo: APP }))
  const token = otpOf(await mailTo(email))
  valueOf(await client.auth.verifyOtp({ email, token, type: 'recovery' }))
  valueOf(await client.auth.updateUser({ password: 'recuperada' }))
  valueOf(await signIn(newClient(), email, 'recuperada'))
})

test('reauthenticate mails a nonce', async () => {
  const { client, email } = await newPerson()
  assert.equal((await client.auth.reauthenticate()).error, null)
  assert.match(otpOf(await mailTo(email)), /^\d{6}$/)
})

test('getUserIdentities lists the address, and the last one stays', async () => {
  const { client, email } = await newPerson()
  const { identities } = valueOf(await client.auth.getUserIdentities())
  assert.deepEqual(identities.map(({ provider, identity_data: { email: e } }) => [provider, e]), [['email', email]])
  assertError(await client.auth.unlinkIdentity(identities[0]), { status: 422, code: 'single_identity_not_deletable' })
})

test('a banned user is kept out', async () => {
  const { email, id, client } = await newPerson()
  valueOf(await newAdmin().auth.admin.updateUserById(id, { ban_duration: '1h' }))
  assertError(await signIn(newClient(), email), { status: 400, code: 'user_banned', message: 'User is banned' })
  assertError(await client.auth.getUser(), { status: 403, code: 'user_banned' })
})

test('a deleted user is gone', async () => {
  const { client, id } = await newPerson()
  valueOf(await newAdmin().auth.admin.deleteUser(id))
  assertError(await client.auth.getUser(), { status: 403, code: 'user_not_found' })
})
