// auth-js: PKCE, magic links, codes, phones, anonymous people, second factors, OAuth addresses.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  assertError,
  claimsOf,
  follow,
  linkOf,
  mailTo,
  newAdmin,
  newClient,
  newEmail,
  newPerson,
  otpOf,
  PASSWORD,
  PUBLISHABLE,
  URL_BASE,
  valueOf,
} from '../support.mjs'

const APP = 'https://app.example.com/welcome'
const pkceClient = () => newClient(PUBLISHABLE, { auth: { flowType: 'pkce' } })

test('PKCE sign-up: the link gives a code, the code a session', async () => {
  const client = pkceClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD, options: { emailRedirectTo: APP } }))
  const { target, query } = await follow(linkOf(await mailTo(email)))
  assert.equal(target.origin + target.pathname, APP)
  const { session } = valueOf(await client.auth.exchangeCodeForSession(query.get('code')))
  assert.equal(session.user.email, email)
})

test('a PKCE code without its verifier is worthless, and works once', async () => {
  const client = pkceClient()
  const { email } = await newPerson()
  valueOf(await client.auth.resetPasswordForEmail(email, { redirectTo: APP }))
  const { query } = await follow(linkOf(await mailTo(email)))
  const answer = await fetch(`${URL_BASE}/auth/v1/token?grant_type=pkce`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE, 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ auth_code: query.get('code'), code_verifier: 'x'.repeat(50) }),
  })
  assert.deepEqual([answer.status, (await answer.json()).code], [400, 'bad_code_verifier'])
  valueOf(await client.auth.exchangeCodeForSession(query.get('code')))
})

test('signInWithOtp makes the account and signs in by the code', async () => {
  const client = newClient()
  const email = newEmail()
  valueOf(await client.auth.signInWithOtp({ email, options: { data: { nombre: 'Otto' } } }))
  const { user } = valueOf(await client.auth.verifyOtp({ email, token: otpOf(await mailTo(email)), type: 'email' }))
  assert.equal(user.user_metadata.nombre, 'Otto')
})

test('signInWithOtp sends a link to somebody known', async () => {
  const { email, id } = await newPerson()
  const client = newClient()
  valueOf(await client.auth.signInWithOtp({ email, options: { emailRedirectTo: APP } }))
  const { hash } = await follow(linkOf(await mailTo(email)))
  assert.equal(hash.get('type'), 'magiclink')
  assert.equal(claimsOf(hash.get('access_token')).sub, id)
})

test('signInWithOtp may refuse strangers', async () => {
  const answer = await newClient().auth.signInWithOtp({ email: newEmail(), options: { shouldCreateUser: false } })
  assertError(answer, { status: 422, code: 'otp_disabled', message: 'Signups not allowed for otp' })
})

test('a phone signs in with its test code', async () => {
  const client = newClient()
  valueOf(await client.auth.signInWithOtp({ phone: '+34600000001' }))
  assertError(await client.auth.verifyOtp({ phone: '+34600000001', token: '999999', type: 'sms' }), {
    status: 403,
    code: 'otp_expired',
  })
  const { user } = valueOf(await client.auth.verifyOtp({ phone: '+34600000001', token: '123456', type: 'sms' }))
  assert.equal(user.phone, '34600000001')
})

test('signInAnonymously makes somebody without an address, who can stay', async () => {
  const client = newClient()
  const { user, session } = valueOf(await client.auth.signInAnonymously({ options: { data: { theme: 'dark' } } }))
  assert.equal(user.is_anonymous, true)
  assert.equal(user.user_metadata.theme, 'dark')
  assert.equal(claimsOf(session.access_token).is_anonymous, true)
  assert.equal(claimsOf(session.access_token).amr[0].method, 'anonymous')
  const page = valueOf(await client.from('diary').insert({ body: 'anonymous' }).select('owner').single())
  assert.equal(page.owner, user.id)
  const email = newEmail()
  valueOf(await client.auth.updateUser({ email }))
  valueOf(await client.auth.verifyOtp({ email, token: otpOf(await mailTo(email)), type: 'email_change' }))
  const kept = valueOf(await client.auth.getUser()).user
  assert.deepEqual([kept.id, kept.email, kept.is_anonymous], [user.id, email, false])
})

test('signInWithOAuth of an unconfigured provider is refused by the server', async () => {
  const { url } = valueOf(
    await newClient().auth.signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } }),
  )
  const answer = await fetch(url, { redirect: 'manual' })
  assert.equal(answer.status, 400)
  const body = await answer.json()
  assert.equal(body.error_code, 'validation_failed')
  assert.match(body.msg, /^Unsupported provider: /)
})

test('signInWithIdToken refuses nonsense', async () => {
  const answer = await newClient().auth.signInWithIdToken({ provider: 'google', token: 'nonsense' })
  assert.equal(answer.error.status, 400)
})

test('signInWithSSO is switched off', async () => {
  const answer = await newClient().auth.signInWithSSO({ domain: 'example.com' })
  assertError(answer, { status: 404, code: 'saml_provider_disabled', message: 'SAML 2.0 is disabled' })
})

test('an unknown code for a session is refused', async () => {
  const client = pkceClient()
  const email = newEmail()
  valueOf(await client.auth.signUp({ email, password: PASSWORD }))
  assertError(await client.auth.exchangeCodeForSession('00000000-0000-4000-8000-000000000000'), {
    status: 404,
    code: 'flow_state_not_found',
  })
})

test('linkIdentity of an unconfigured provider is refused', async () => {
  const { client } = await newPerson()
  const answer = await client.auth.linkIdentity({ provider: 'github', options: { skipBrowserRedirect: true } })
  assertError(answer, { status: 400, code: 'validation_failed' })
})

test('signInWithWeb3 is switched off', async () => {
  const answer = await fetch(`${URL_BASE}/auth/v1/token?grant_type=web3`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE, 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ chain: 'ethereum', message: 'x', signature: 'y' }),
  })
  assert.deepEqual([answer.status, (await answer.json()).code], [422, 'web3_provider_disabled'])
})

test('passkeys are switched off', async () => {
  const answer = await fetch(`${URL_BASE}/auth/v1/passkeys/authentication/options`, {
    method: 'POST',
    headers: { apikey: PUBLISHABLE, 'x-supabase-api-version': '2024-01-01' },
    body: '{}',
  })
  assert.deepEqual([answer.status, (await answer.json()).code], [404, 'passkey_disabled'])
})

test('the settings say what is switched on', async () => {
  const answer = await fetch(`${URL_BASE}/auth/v1/settings`, { headers: { apikey: PUBLISHABLE } })
  const settings = await answer.json()
  const { email, phone, anonymous_users, github } = settings.external
  assert.deepEqual([email, phone, anonymous_users, github], [true, true, true, false])
  assert.deepEqual([settings.mailer_autoconfirm, settings.disable_signup], [false, false])
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

// The code of a time-based one-time password (RFC 6238, SHA-1, 30 s, 6 digits).
function totp(secret) {
  const bits = [...secret].map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from(bits.match(/.{8}/g).map((b) => Number.parseInt(b, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac[19] & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

test('a TOTP factor is enrolled, verified, listed and removed', async () => {
  const { client } = await newPerson()
  const factor = valueOf(await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' }))
  assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,.*<svg/s)
  assert.match(factor.totp.uri, /^otpauth:\/\/totp\//)
  assert.match(factor.totp.secret, /^[A-Z2-7]{32}$/)
  const challenge = valueOf(await client.auth.mfa.challenge({ factorId: factor.id }))
  assertError(await client.auth.mfa.verify({ factorId: factor.id, challengeId: challenge.id, code: '000000' }), {
    status: 422,
    code: 'mfa_verification_failed',
    message: 'Invalid TOTP code entered',
  })
  valueOf(await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) }))
  const level = valueOf(await client.auth.mfa.getAuthenticatorAssuranceLevel())
  assert.deepEqual([level.currentLevel, level.nextLevel], ['aal2', 'aal2'])
  assert.deepEqual(level.currentAuthenticationMethods.map((m) => m.method), ['totp', 'password'])
  const { totp: listed } = valueOf(await client.auth.mfa.listFactors())
  assert.deepEqual(listed.map((f) => [f.id, f.friendly_name, f.status]), [[factor.id, 'phone', 'verified']])
  assert.deepEqual(valueOf(await client.auth.mfa.unenroll({ factorId: factor.id })), { id: factor.id })
})

test('a second factor guards the password', async () => {
  const { client, email } = await newPerson()
  const factor = valueOf(await client.auth.mfa.enroll({ factorType: 'totp' }))
  valueOf(await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: totp(factor.totp.secret) }))
  const other = newClient()
  valueOf(await other.auth.signInWithPassword({ email, password: PASSWORD }))
  const level = valueOf(await other.auth.mfa.getAuthenticatorAssuranceLevel())
  assert.deepEqual([level.currentLevel, level.nextLevel], ['aal1', 'aal2'])
  assertError(await other.auth.updateUser({ password: 'another-one' }), { status: 401, code: 'insufficient_aal' })
  assertError(await other.auth.mfa.unenroll({ factorId: factor.id }), { status: 422, code: 'insufficient_aal' })
})

test('the administrator sees and removes factors', async () => {
  const { client, id } = await newPerson()
  const factor = valueOf(await client.auth.mfa.enroll({ factorType: 'totp' }))
  const { mfa } = newAdmin().auth.admin
  assert.deepEqual(valueOf(await mfa.listFactors({ userId: id })).factors.map((f) => f.id), [factor.id])
  valueOf(await mfa.deleteFactor({ userId: id, id: factor.id }))
  assert.deepEqual(valueOf(await mfa.listFactors({ userId: id })).factors, [])
})
