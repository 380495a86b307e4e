// The planner's whole life of two partners, by the calls of its specification.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertError,
  claimsOf,
  follow,
  inbox,
  joinChanges,
  linkOf,
  mailTo,
  newClient,
  newEmail,
  PASSWORD,
  URL_BASE,
  valueOf,
} from '../support.mjs'

const ana = { client: newClient(), email: newEmail('ana'), nombre: 'Ana' }
const luis = { client: newClient(), email: newEmail('luis'), nombre: 'Luis' }
const partners = [ana, luis]

const list = (who) => who.client.from('actividades').select('*').order('fecha', { ascending: true })
const profile = (who) => who.client.from('profiles').select('*').eq('id', who.id).single()

function activity(who, more = {}) {
  return {
    titulo: 'Cena en casa',
    descripcion: null,
    fecha: '2026-12-24',
    presupuesto: 35.5,
    estado: 'pendiente',
    creador_id: who.id,
    pareja_id: who.pareja_id ?? who.id,
    ...more,
  }
}

test('signing up with a name gives a session, because addresses confirm themselves', async () => {
  for (const who of partners) {
    const { user, session } = valueOf(
      await who.client.auth.signUp({
        email: who.email,
        password: PASSWORD,
        options: { data: { nombre: who.nombre }, emailRedirectTo: `${URL_BASE}/` },
      }),
    )
    who.id = user.id
    assert.equal(user.email, who.email)
    assert.equal(user.user_metadata.nombre, who.nombre)
    assert.equal(user.role, 'authenticated')
    assert.equal(session.token_type, 'bearer')
    assert.equal(session.expires_in, 3600)
    assert.ok(session.expires_at > Date.now() / 1000 + 3500)
  }
})

test('signing up again with the same address is refused', async () => {
  const again = await newClient().auth.signUp({ email: ana.email, password: PASSWORD })
  assertError(again, { status: 422, code: 'user_already_exists', message: 'User already registered' })
})

test('a short password is refused with its reason', async () => {
  const answer = await newClient().auth.signUp({ email: newEmail(), password: '12345' })
  assertError(answer, { status: 422, code: 'weak_password' })
  assert.deepEqual(answer.error.reasons, ['length'])
})

test('a wrong password and an unknown address are refused alike', async () => {
  const expected = { status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' }
  const client = newClient()
  assertError(await client.auth.signInWithPassword({ email: ana.email, password: 'otra-cosa' }), expected)
  assertError(await client.auth.signInWithPassword({ email: newEmail(), password: PASSWORD }), expected)
})

test('signing in emits SIGNED_IN and the session is read back', async () => {
  for (const who of partners) {
    const events = inbox()
    const { data } = who.client.auth.onAuthStateChange((event) => events.put(event))
    assert.equal(await events.next(), 'INITIAL_SESSION')
    const answer = await who.client.auth.signInWithPassword({ email: who.email, password: PASSWORD })
    const { session } = valueOf(answer)
    assert.equal(await events.next(), 'SIGNED_IN')
    data.subscription.unsubscribe()
    const kept = valueOf(await who.client.auth.getSession())
    assert.equal(kept.session.access_token, session.access_token)
  }
})

test('each has a profile of their own, made with the sign-up', async () => {
  for (const who of partners) {
    assert.deepEqual(valueOf(await profile(who)), { id: who.id, nombre: who.nombre, pareja_id: null })
  }
})

test('an invitation shows who sent it and makes a couple', async () => {
  const invitation = valueOf(await ana.client.rpc('crear_invitacion'))
  assert.match(invitation.codigo, /^[A-HJ-NP-Z2-9]{8}$/)
  const days = (Date.parse(invitation.caduca_en) - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days < 7.1, invitation.caduca_en)
  const seen = valueOf(await luis.client.rpc('ver_invitacion', { codigo: invitation.codigo }))
  assert.deepEqual(seen, { nombre: 'Ana', vuelven: 0 })
  const made = valueOf(await luis.client.rpc('aceptar_invitacion', { codigo: invitation.codigo }))
  for (const who of partners) {
    who.pareja_id = valueOf(await profile(who)).pareja_id
    assert.equal(who.pareja_id, made.pareja_id)
  }
  assert.notEqual(made.pareja_id, ana.id)
})

test('partners read each other\'s profile', async () => {
  const rows = valueOf(await ana.client.from('profiles').select('nombre').order('nombre'))
  assert.deepEqual(rows, [{ nombre: 'Ana' }, { nombre: 'Luis' }])
})

test('both hear a new activity live', async () => {
  for (const who of partners) {
    who.changes = inbox()
    who.channel = who.client
      .channel('actividades-changes')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'actividades' }, who.changes.put)
    await joinChanges(who.channel)
  }
  const answer = await ana.client.from('actividades').insert([activity(ana)])
  assert.deepEqual([answer.status, answer.data, answer.error], [201, null, null])
  for (const who of partners) {
    const change = await who.changes.next('the insert')
    assert.equal(change.eventType, 'INSERT')
    assert.equal(change.table, 'actividades')
    assert.equal(change.new.titulo, 'Cena en casa')
    assert.equal(change.new.presupuesto, 35.5)
    assert.equal(change.errors, null)
    ana.actividad = change.new.id
  }
})

test('both list it with every field', async () => {
  for (const who of partners) {
    const [row, ...more] = valueOf(await list(who))
    assert.deepEqual(more, [])
    assert.equal(typeof row.creado_en, 'string')
    delete row.creado_en
    const unedited = { revision: 1, editado_en: null, origen_id: null }
    const unsaid = { hora: null, hora_fin: null, fecha_fin: null, lugar: null, idea_id: null }
    const single = { serie_id: null, regla: null }
    const own = { id: ana.actividad, aceptado_por: null }
    assert.deepEqual(row, { ...activity(ana), ...own, ...unedited, ...unsaid, ...single })
  }
})

test('the creator cannot answer their own activity', async () => {
  const answer = await ana.client
    .from('actividades')
    .update({ estado: 'aceptado', aceptado_por: ana.id })
    .eq('id', ana.actividad)
  const [row] = valueOf(await list(ana))
  assert.equal(row.estado, 'pendiente', JSON.stringify(answer))
})

test('the partner accepts, and both hear it', async () => {
  const answer = await luis.client
    .from('actividades')
    .update({ estado: 'aceptado', aceptado_por: luis.id })
    .eq('id', ana.actividad)
  assert.deepEqual([answer.status, answer.data, answer.error], [204, null, null])
  for (const who of partners) {
    const change = await who.changes.next('the update')
    assert.equal(change.eventType, 'UPDATE')
    assert.equal(change.new.estado, 'aceptado')
    assert.equal(change.new.aceptado_por, luis.id)
    assert.equal(change.old.id, ana.actividad)
  }
})

test('an accepted activity changes no more', async () => {
  const answer = await luis.client
    .from('actividades')
    .update({ estado: 'rechazado', aceptado_por: null })
    .eq('id', ana.actividad)
  const [row] = valueOf(await list(luis))
  assert.equal(row.estado, 'aceptado', JSON.stringify(answer))
})

test('rejecting clears who accepted', async () => {
  const [row] = valueOf(await luis.client.from('actividades').insert([activity(luis)]).select())
  const rejected = await ana.client
    .from('actividades')
    .update({ estado: 'rechazado', aceptado_por: null })
    .eq('id', row.id)
    .select()
    .single()
  assert.equal(valueOf(rejected).estado, 'rechazado')
  assert.equal(rejected.data.aceptado_por, null)
  for (const who of partners) {
    assert.equal((await who.changes.next()).eventType, 'INSERT')
    assert.equal((await who.changes.next()).eventType, 'UPDATE')
  }
})

test('only the creator deletes, and both hear it', async () => {
  valueOf(await luis.client.from('actividades').delete().eq('id', ana.actividad))
  assert.equal(valueOf(await list(ana)).length, 2)
  const answer = await ana.client.from('actividades').delete().eq('id', ana.actividad)
  assert.deepEqual([answer.status, answer.data, answer.error], [204, null, null])
  for (const who of partners) {
    const change = await who.changes.next('the delete')
    assert.equal(change.eventType, 'DELETE')
    assert.equal(change.old.id, ana.actividad)
  }
})

test('refreshing rotates the token and the channel goes on', async () => {
  const before = valueOf(await ana.client.auth.getSession()).session
  const events = inbox()
  const { data } = ana.client.auth.onAuthStateChange((event) => events.put(event))
  assert.equal(await events.next(), 'INITIAL_SESSION')
  const { session } = valueOf(await ana.client.auth.refreshSession())
  assert.equal(await events.next(), 'TOKEN_REFRESHED')
  data.subscription.unsubscribe()
  assert.notEqual(session.refresh_token, before.refresh_token)
  assert.equal(claimsOf(session.access_token).session_id, claimsOf(before.access_token).session_id)
  valueOf(await luis.client.from('actividades').insert([activity(luis, { titulo: 'Cine' })]))
  for (const who of partners) assert.equal((await who.changes.next()).new.titulo, 'Cine')
})

test('a closed channel hears nothing more', async () => {
  assert.equal(await ana.client.removeChannel(ana.channel), 'ok')
  valueOf(await luis.client.from('actividades').insert([activity(luis, { titulo: 'Teatro' })]))
  assert.equal((await luis.changes.next()).new.titulo, 'Teatro')
  assert.deepEqual(ana.changes.received, [])
})

test('signing out elsewhere ends the other sessions only', async () => {
  const phone = newClient()
  valueOf(await phone.auth.signInWithPassword({ email: ana.email, password: PASSWORD }))
  assert.equal((await phone.auth.signOut({ scope: 'others' })).error, null)
  valueOf(await phone.auth.getUser())
  assertError(await ana.client.auth.refreshSession(), { code: 'refresh_token_not_found' })
  ana.client = phone
})

test('signing out here leaves the other sessions alone', async () => {
  const tablet = newClient()
  valueOf(await tablet.auth.signInWithPassword({ email: ana.email, password: PASSWORD }))
  assert.equal((await tablet.auth.signOut({ scope: 'local' })).error, null)
  assert.equal(valueOf(await tablet.auth.getSession()).session, null)
  valueOf(await ana.client.auth.getUser())
})

test('signing out everywhere ends every session, for the auth service at once', async () => {
  const tablet = newClient()
  valueOf(await tablet.auth.signInWithPassword({ email: ana.email, password: PASSWORD }))
  const events = inbox()
  ana.client.auth.onAuthStateChange((event) => events.put(event))
  assert.equal(await events.next(), 'INITIAL_SESSION')
  assert.equal((await ana.client.auth.signOut()).error, null)
  assert.equal(await events.next(), 'SIGNED_OUT')
  assertError(await tablet.auth.getUser(), { name: 'AuthSessionMissingError' })
})

test('a forgotten password is replaced through the mail', async () => {
  const client = newClient(undefined, { auth: { detectSessionInUrl: false } })
  const asked = await client.auth.resetPasswordForEmail(ana.email, { redirectTo: `${URL_BASE}/auth` })
  assert.deepEqual(asked, { data: {}, error: null })
  const { target, hash } = await follow(linkOf(await mailTo(ana.email)))
  assert.equal(target.origin + target.pathname, `${URL_BASE}/auth`)
  assert.equal(hash.get('type'), 'recovery')
  const tokens = { access_token: hash.get('access_token'), refresh_token: hash.get('refresh_token') }
  valueOf(await client.auth.setSession(tokens))
  const renewed = 'nueva-clave-1'
  valueOf(await client.auth.updateUser({ password: renewed }))
  assertError(await newClient().auth.signInWithPassword({ email: ana.email, password: PASSWORD }), {
    code: 'invalid_credentials',
  })
  valueOf(await newClient().auth.signInWithPassword({ email: ana.email, password: renewed }))
})

test('asking for the recovery of an unknown address tells nothing', async () => {
  const answer = await newClient().auth.resetPasswordForEmail(newEmail())
  assert.deepEqual(answer, { data: {}, error: null })
})

test('unpairing leaves each with what they created', async () => {
  valueOf(await luis.client.rpc('desvincular_pareja'))
  assert.equal(valueOf(await profile(luis)).pareja_id, null)
  const rows = valueOf(await list(luis))
  assert.ok(rows.length >= 3)
  assert.ok(rows.every((row) => row.creador_id === luis.id))
})
