// auth-js: the administrator's calls, with the secret key.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
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
  PASSWORD,
  URL_BASE,
  valueOf,
} from '../support.mjs'

const { admin } = newAdmin().auth

test('createUser makes a confirmed user as it was given', async () => {
  const email = newEmail()
  const { user } = valueOf(
    await admin.createUser({
      email,
      password: PASSWORD,
      email_confirm: true,
      user_metadata: { nombre: 'Ada' },
      app_metadata: { plan: 'gold' },
    }),
  )
  assert.ok(user.email_confirmed_at)
  assert.equal(user.user_metadata.nombre, 'Ada')
  assert.deepEqual(user.app_metadata, { plan: 'gold', provider: 'email', providers: ['email'] })
  const { session } = valueOf(await newClient().auth.signInWithPassword({ email, password: PASSWORD }))
  assert.equal(claimsOf(session.access_token).app_metadata.plan, 'gold')
})

test('createUser refuses what exists or cannot be', async () => {
  const { email } = await newPerson()
  assertError(await admin.createUser({ email }), { status: 422, code: 'email_exists' })
  assertError(await admin.createUser({}), {
    status: 400,
    message: 'Cannot create a user without either an email or phone',
  })
})

test('getUserById finds, and says when there is none', async () => {
  const { id, email } = await newPerson()
  assert.equal(valueOf(await admin.getUserById(id)).user.email, email)
  assertError(await admin.getUserById(randomUUID()), { status: 404, code: 'user_not_found', message: 'User not found' })
})

test('listUsers pages, newest first, and counts', async () => {
  const people = [await newPerson(), await newPerson(), await newPerson()]
  const first = valueOf(await admin.listUsers({ page: 1, perPage: 2 }))
  assert.deepEqual(first.users.map((user) => user.id), [people[2].id, people[1].id])
  assert.equal(first.aud, 'authenticated')
  assert.equal(first.nextPage, 2)
  assert.ok(first.total >= 3)
  const all = valueOf(await admin.listUsers({ page: 1, perPage: 1000 }))
  assert.deepEqual([all.nextPage, all.lastPage, all.users.length], [null, 1, all.total])
  assert.ok(valueOf(await admin.listUsers()).users.length >= 3)
})

test('updateUserById changes the address, the password and both kinds of metadata', async () => {
  const { id } = await newPerson()
  const email = newEmail()
  const { user } = valueOf(
    await admin.updateUserById(id, { email, password: 'otra-clave', user_metadata: { x: 1 }, app_metadata: { y: 2 } }),
  )
  assert.deepEqual([user.email, user.user_metadata.x, user.app_metadata.y], [email, 1, 2])
  valueOf(await newClient().auth.signInWithPassword({ email, password: 'otra-clave' }))
})

test('deleteUser removes, softly or for good', async () => {
  const [hard, soft] = [await newPerson(), await newPerson()]
  valueOf(await admin.deleteUser(hard.id))
  assertError(await admin.getUserById(hard.id), { code: 'user_not_found' })
  valueOf(await admin.deleteUser(soft.id, true))
  const { user } = valueOf(await admin.getUserById(soft.id))
  assert.ok(user.deleted_at)
  assert.notEqual(user.email, soft.email)
  assertError(await newClient().auth.signInWithPassword({ email: soft.email, password: PASSWORD }), {
    code: 'invalid_credentials',
  })
})

test('inviteUserByEmail mails a link that signs in', async () => {
  const email = newEmail()
  const { user } = valueOf(await admin.inviteUserByEmail(email, { data: { nombre: 'Iris' } }))
  assert.ok(user.invited_at)
  const { hash } = await follow(linkOf(await mailTo(email)))
  assert.equal(hash.get('type'), 'invite')
  assert.equal(claimsOf(hash.get('access_token')).sub, user.id)
})

test('generateLink gives every kind of link without a mail', async () => {
  const { email, id } = await newPerson()
  const stranger = newEmail()
  for (const [type, address, extra] of [
    ['signup', newEmail(), { password: PASSWORD }],
    ['invite', stranger, {}],
    ['magiclink', email, {}],
    ['recovery', email, {}],
    ['email_change_new', email, { newEmail: newEmail() }],
  ]) {
    const { properties, user } = valueOf(await admin.generateLink({ type, email: address, ...extra }))
    assert.equal(properties.verification_type, type)
    assert.match(properties.email_otp, /^\d{6}$/)
    assert.match(properties.hashed_token, /^[0-9a-f]{56}$/)
    assert.equal(new URL(properties.action_link).origin, URL_BASE)
    if (address === email) assert.equal(user.id, id)
  }
  await assert.rejects(mailTo(stranger))
})

test('the hash of a generated link signs in', async () => {
  const { email, id } = await newPerson()
  const { properties } = valueOf(await admin.generateLink({ type: 'magiclink', email }))
  const answer = await newClient().auth.verifyOtp({ token_hash: properties.hashed_token, type: 'email' })
  assert.equal(valueOf(answer).user.id, id)
})

test('generateLink of a stranger\'s recovery is refused', async () => {
  assertError(await admin.generateLink({ type: 'recovery', email: newEmail() }), {
    status: 404,
    code: 'user_not_found',
  })
})

test('signOut ends the sessions of a token', async () => {
  const { client } = await newPerson()
  const { access_token } = valueOf(await client.auth.getSession()).session
  assert.equal((await admin.signOut(access_token, 'global')).error, null)
  assertError(await client.auth.getUser(), { name: 'AuthSessionMissingError' })
})

test('a person cannot administrate', async () => {
  const { client, id } = await newPerson()
  const { access_token } = valueOf(await client.auth.getSession()).session
  const answer = await fetch(`${URL_BASE}/auth/v1/admin/users/${id}`, {
    headers: { apikey: process.env.SUPABASE_PUBLISHABLE_KEY, authorization: `Bearer ${access_token}` },
  })
  assert.equal(answer.status, 403)
  assert.equal((await answer.json()).error_code, 'not_admin')
})

test('the secret key reads what nobody may', async () => {
  const { client, id } = await newPerson()
  valueOf(await client.from('diary').insert({ body: 'secret' }))
  const rows = valueOf(await newAdmin().from('diary').select('body').eq('owner', id))
  assert.deepEqual(rows, [{ body: 'secret' }])
  assert.deepEqual(valueOf(await (await newPerson()).client.from('diary').select('body').eq('owner', id)), [])
})
