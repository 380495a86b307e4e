// Both kinds of keys, in every place a client puts them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANON, assertError, claimsOf, join, newAdmin, newClient, newEmail, PASSWORD, SECRET, URL_BASE, valueOf } from '../support.mjs'

const SERVICE = process.env.SUPABASE_SERVICE_ROLE_KEY

test('the anon token and the publishable key are one', async () => {
  for (const client of [newClient(), newClient(ANON)]) {
    const { user } = valueOf(await client.auth.signUp({ email: newEmail(), password: PASSWORD }))
    const rows = valueOf(await client.from('profiles').select('id'))
    assert.deepEqual(rows, [{ id: user.id }])
  }
})

test('the service token and the secret key are one', async () => {
  for (const key of [SERVICE, SECRET]) {
    const admin = newClient(key)
    assert.ok(valueOf(await admin.auth.admin.listUsers()).users.length >= 0)
    assert.ok(Array.isArray(valueOf(await admin.from('profiles').select('id').limit(1))))
  }
})

test('every key joins a channel', async () => {
  for (const client of [newClient(), newClient(ANON), newClient(SERVICE), newAdmin()]) {
    await join(client.channel('anything'))
  }
})

test('an unknown key is refused everywhere', async () => {
  const client = newClient('sb_publishable_of_somebody_else')
  assertError(await client.from('profiles').select(), { message: 'Invalid API key' })
  assertError(await client.auth.signInWithPassword({ email: newEmail(), password: PASSWORD }), { status: 401 })
})

test('no key at all is refused', async () => {
  for (const path of ['/rest/v1/profiles', '/auth/v1/settings', '/realtime/v1/websocket']) {
    const answer = await fetch(URL_BASE + path)
    assert.equal(answer.status, 401, path)
    assert.equal((await answer.json()).message, 'No API key found in request')
  }
})

test('a user\'s token carries what policies need and is signed by the published key', async () => {
  const client = newClient()
  const signed = await client.auth.signUp({
    email: newEmail('marta'),
    password: PASSWORD,
    options: { data: { nombre: 'Marta' } },
  })
  const { session, user } = valueOf(signed)
  const claims = claimsOf(session.access_token)
  assert.equal(claims.sub, user.id)
  assert.equal(claims.role, 'authenticated')
  assert.equal(claims.aud, 'authenticated')
  assert.equal(claims.iss, `${URL_BASE}/auth/v1`)
  assert.equal(claims.aal, 'aal1')
  assert.equal(claims.amr[0].method, 'password')
  assert.equal(claims.is_anonymous, false)
  const verified = valueOf(await client.auth.getClaims())
  assert.equal(verified.header.alg, 'ES256')
  assert.equal(verified.claims.sub, user.id)
})

test('the publishable key cannot administrate', async () => {
  assertError(await newClient().auth.admin.listUsers(), { status: 403, code: 'not_admin' })
})
