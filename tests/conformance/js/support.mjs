// What the journeys share: the stock client, people, a mailbox reader and waiting without sleeping.
// The stack's address and keys come from the environment, set by test_javascript.py.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'

const require = createRequire(new URL('../../../web/package.json', import.meta.url))
const supabase = require('@supabase/supabase-js')
const ofRealtime = createRequire(createRequire(require.resolve('@supabase/supabase-js')).resolve('@supabase/realtime-js'))

export const { createClient, AuthApiError, AuthSessionMissingError, AuthWeakPasswordError } = supabase
// What Phoenix's client falls back on where there are no WebSockets.
export const { LongPoll } = ofRealtime('@supabase/phoenix')
export const URL_BASE = process.env.SUPABASE_URL
export const ANON = process.env.SUPABASE_ANON_KEY
export const PUBLISHABLE = process.env.SUPABASE_PUBLISHABLE_KEY
export const SECRET = process.env.SUPABASE_SECRET_KEY
export const PASSWORD = 'secreto-123'

const WAIT_MS = 8000

export function storage() {
  const kept = new Map()
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

// A client of its own person: nothing is shared between two of them.
export function newClient(key = PUBLISHABLE, { auth = {}, ...options } = {}) {
  return createClient(URL_BASE, key, {
    auth: { persistSession: true, autoRefreshToken: false, storage: storage(), ...auth },
    ...options,
  })
}

export const newAdmin = () => newClient(SECRET, { auth: { persistSession: false } })

export const newEmail = (name = 'persona') => `${name}-${randomUUID()}@example.com`

// A confirmed person with a signed-in client, made by the administrator.
export async function newPerson(name = 'persona', options = {}) {
  const email = newEmail(name)
  const made = await newAdmin().auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { nombre: name },
  })
  const { user } = valueOf(made)
  const client = newClient(PUBLISHABLE, options)
  valueOf(await client.auth.signInWithPassword({ email, password: PASSWORD }))
  return { client, email, id: user.id }
}

// The data of an answer that must have no error.
export function valueOf({ data, error }) {
  assert.equal(error, null, error && `${error.code ?? ''} ${error.message} ${JSON.stringify(error)}`)
  return data
}

// The error of an answer that must have one, with the fields named.
export function assertError({ data, error }, expected) {
  assert.ok(error, `no error but ${JSON.stringify(data)}`)
  const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, error[key]]))
  assert.deepEqual(seen, expected, `${error.code} ${error.message}`)
}

// What arrives from a callback, in order; `next` waits for what is not there yet.
export function inbox() {
  const received = []
  const waiting = []
  return {
    received,
    put(item) {
      const waiter = waiting.shift()
      waiter ? waiter(item) : received.push(item)
    },
    async next(what = 'an event') {
      if (received.length > 0) return received.shift()
      return within(
        new Promise((resolve) => waiting.push(resolve)),
        what,
      )
    },
  }
}

export async function within(promise, what, ms = WAIT_MS) {
  let timer
  const expiry = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}

// The next item that fits; what does not fit is dropped.
export async function nextWhere(box, fits, what) {
  for (;;) {
    const item = await box.next(what)
    if (fits(item)) return item
  }
}

// Subscribe and wait for the outcome: [status, error].
export function outcome(channel) {
  return within(
    new Promise((resolve) => channel.subscribe((status, error) => resolve([status, error]))),
    `the join of ${channel.topic}`,
    12000,
  )
}

export async function join(channel) {
  const [status, error] = await outcome(channel)
  assert.equal(status, 'SUBSCRIBED', String(error))
  return channel
}

// Subscribe, and wait until the database's changes flow.
export async function joinChanges(channel) {
  const systems = inbox()
  channel.on('system', {}, systems.put)
  await join(channel)
  const said = await nextWhere(systems, (m) => m.extension === 'postgres_changes', 'the system message')
  assert.equal(said.status, 'ok', said.message)
  return channel
}

// The newest mail to an address, as HTML, from the operator's page.
export async function mailTo(email) {
  const page = async (query) => (await fetch(`${URL_BASE}/mailbox${query}`, { headers: { apikey: SECRET } })).text()
  const list = await page('')
  for (const [, name, recipient] of list.matchAll(/<a href="\/mailbox\?mail=([^"]+)">.*?<\/a> · (\S+) ·/g)) {
    if (recipient === email) return page(`?mail=${name}`)
  }
  throw new Error(`no mail to ${email}`)
}

// The link of a mail, whichever attribute or text holds it.
export function linkOf(mail) {
  const found = mail.match(/https?:\/\/[^\s"'<>]*\/verify\?[^\s"'<>]*/)
  assert.ok(found, mail)
  return new URL(found[0].replaceAll('&amp;', '&'))
}

export function otpOf(mail) {
  const found = mail.replace(/<style.*?<\/style>|https?:\/\/[^\s"'<>]*/gs, '').match(/\b\d{6}\b/)
  assert.ok(found, mail)
  return found[0]
}

// Follow a mail's link as a browser would, up to the redirect; the fragment and query it lands on.
export async function follow(link) {
  const answer = await fetch(link, { redirect: 'manual' })
  assert.equal(answer.status, 303, await answer.text())
  const target = new URL(answer.headers.get('location'))
  return { target, hash: new URLSearchParams(target.hash.slice(1)), query: target.searchParams }
}

export const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
