// realtime-js: broadcast, presence, private channels, sending by HTTP and from the database.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  inbox,
  join,
  LongPoll,
  newAdmin,
  newClient,
  newPerson,
  nextWhere,
  outcome,
  PUBLISHABLE,
  URL_BASE,
  valueOf,
} from '../support.mjs'

const topic = (prefix = 'lobby') => `${prefix}:${randomUUID()}`
const say = (channel, event, payload) => channel.send({ type: 'broadcast', event, payload })

// A joined member of a room, with the box of what is broadcast to it.
async function member(client, name, config = {}, event = '*') {
  const box = inbox()
  const channel = client.channel(name, { config })
  channel.on('broadcast', { event }, box.put)
  await join(channel)
  return { channel, box }
}

test('a broadcast reaches the others, and the sender only if asked', async () => {
  const name = topic()
  const [quiet, loud] = [await member(newClient(), name), await member(newClient(), name, { broadcast: { self: true } })]
  assert.equal(await say(quiet.channel, 'first', { n: 1 }), 'ok')
  assert.deepEqual(await loud.box.next(), { type: 'broadcast', event: 'first', payload: { n: 1 } })
  assert.equal(await say(loud.channel, 'second', { ñ: ['x'] }), 'ok')
  for (const { box } of [quiet, loud]) {
    assert.deepEqual(await box.next(), { type: 'broadcast', event: 'second', payload: { ñ: ['x'] } })
  }
  assert.deepEqual([quiet.box.received, loud.box.received], [[], []])
})

test('a member without WebSockets hears and speaks by long polling', async () => {
  const name = topic()
  const polling = await member(newClient(PUBLISHABLE, { realtime: { transport: LongPoll } }), name)
  const other = await member(newClient(), name)
  assert.equal(await say(other.channel, 'first', { n: 1 }), 'ok')
  assert.deepEqual(await polling.box.next(), { type: 'broadcast', event: 'first', payload: { n: 1 } })
  await say(polling.channel, 'second', { ñ: ['x'] })
  assert.deepEqual((await other.box.next()).payload, { ñ: ['x'] })
})

test('an acknowledged broadcast waits for the server', async () => {
  const { channel } = await member(newClient(), topic(), { broadcast: { ack: true } })
  assert.equal(await say(channel, 'x', {}), 'ok')
})

test('a listener of one event hears no other', async () => {
  const name = topic()
  const sender = await member(newClient(), name)
  const { box } = await member(newClient(), name, {}, 'wanted')
  await say(sender.channel, 'other', {})
  await say(sender.channel, 'wanted', { n: 2 })
  assert.equal((await box.next()).payload.n, 2)
})

test('rooms of other names hear nothing', async () => {
  const [here, there] = [topic(), topic()]
  const client = newClient()
  const one = await member(client, here)
  const other = await member(client, there)
  const sender = newClient()
  await say((await member(sender, here)).channel, 'x', { n: 1 })
  await say((await member(sender, there)).channel, 'x', { n: 2 })
  assert.equal((await one.box.next()).payload.n, 1)
  assert.equal((await other.box.next()).payload.n, 2)
})

test('bytes go through untouched', async () => {
  const name = topic()
  const { box } = await member(newClient(), name)
  const bytes = new Uint8Array([0, 1, 254, 255])
  await say((await member(newClient(), name)).channel, 'bytes', bytes.buffer)
  assert.deepEqual(new Uint8Array((await box.next()).payload), bytes)
})

test('both serializers share a room', async () => {
  const name = topic()
  const old = await member(newClient(PUBLISHABLE, { realtime: { vsn: '1.0.0' } }), name)
  const recent = await member(newClient(), name)
  await say(old.channel, 'x', { from: 'old' })
  assert.equal((await recent.box.next()).payload.from, 'old')
  await say(recent.channel, 'x', { from: 'recent' })
  assert.equal((await old.box.next()).payload.from, 'recent')
})

test('a burst arrives complete and in order', async () => {
  const name = topic()
  const { box } = await member(newClient(), name)
  const sender = await member(newClient(), name)
  const expected = Array.from({ length: 300 }, (_, n) => n)
  for (const n of expected) say(sender.channel, 'n', { n })
  const received = []
  while (received.length < expected.length) received.push((await box.next()).payload.n)
  assert.deepEqual(received, expected)
})

test('httpSend needs no join, for JSON and bytes', async () => {
  const name = topic()
  const { box } = await member(newClient(), name)
  const channel = newClient().channel(name)
  assert.deepEqual(await channel.httpSend('by http', { n: 1 }), { success: true })
  assert.deepEqual(await box.next(), { type: 'broadcast', event: 'by http', payload: { n: 1 } })
  assert.deepEqual(await channel.httpSend('bytes', new Uint8Array([1, 2, 255])), { success: true })
  assert.deepEqual(new Uint8Array((await box.next()).payload), new Uint8Array([1, 2, 255]))
})

test('httpSend keeps slashes and other scripts in names', async () => {
  const name = `${topic()}/año?#`
  const { box } = await member(newClient(), name)
  await newClient().channel(name).httpSend('a/b ñ', { n: 1 })
  assert.equal((await box.next()).event, 'a/b ñ')
})

test('the batch endpoint takes many messages, or none at all', async () => {
  const name = topic()
  const { box } = await member(newClient(), name)
  const post = (messages) =>
    fetch(`${URL_BASE}/realtime/v1/api/broadcast`, {
      method: 'POST',
      headers: { apikey: PUBLISHABLE, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    })
  const good = await post([1, 2].map((n) => ({ topic: name, event: 'n', payload: { n } })))
  assert.deepEqual([good.status, await good.text()], [202, ''])
  assert.deepEqual([(await box.next()).payload.n, (await box.next()).payload.n], [1, 2])
  const bad = await post([{ topic: name }, { topic: name, event: 'n', payload: { n: 3 } }])
  assert.equal(bad.status, 422)
  assert.deepEqual(await bad.json(), {
    errors: { messages: [{ payload: ["can't be blank"], event: ["can't be blank"] }, {}] },
  })
})

function present(client, name, key, config = {}) {
  const seen = { sync: inbox(), join: inbox(), leave: inbox() }
  const channel = client.channel(name, { config: { presence: { key }, ...config } })
  for (const event of ['sync', 'join', 'leave']) {
    channel.on('presence', { event }, (payload) => seen[event].put(payload))
  }
  return { channel, ...seen }
}

const withoutRefs = (state) =>
  Object.fromEntries(Object.entries(state).map(([key, metas]) => [key, metas.map(({ presence_ref: _, ...meta }) => meta)]))

async function until(member, fits, what) {
  while (!fits(withoutRefs(member.channel.presenceState()))) await member.sync.next(what)
}

test('presence: everybody sees who comes, changes and goes', async () => {
  const name = topic()
  const [ana, eva] = [present(newClient(), name, 'ana'), present(newClient(), name, 'eva')]
  await join(ana.channel)
  assert.equal(await ana.channel.track({ mood: 'calm' }), 'ok')
  await until(ana, (state) => state.ana, 'her own presence')
  await join(eva.channel)
  await until(eva, (state) => state.ana?.[0].mood === 'calm', 'the state at the join')
  assert.equal(await eva.channel.track({ mood: 'new' }), 'ok')
  const joined = await nextWhere(ana.join, (j) => j.key === 'eva')
  assert.equal(joined.newPresences[0].mood, 'new')
  assert.equal(await eva.channel.track({ mood: 'old' }), 'ok')
  await until(ana, (state) => state.eva?.[0].mood === 'old', 'the change')
  assert.deepEqual(withoutRefs(ana.channel.presenceState()), { ana: [{ mood: 'calm' }], eva: [{ mood: 'old' }] })
  assert.equal(await eva.channel.untrack(), 'ok')
  await until(ana, (state) => !state.eva, 'the untrack')
  assert.equal((await nextWhere(ana.leave, (l) => l.currentPresences.length === 0)).key, 'eva')
})

test('presence: two tabs of one person are one key', async () => {
  const name = topic()
  const watcher = present(newClient(), name, 'watcher')
  const tabs = [present(newClient(), name, 'ana'), present(newClient(), name, 'ana')]
  await join(watcher.channel)
  for (const [tab, { channel }] of tabs.entries()) {
    await join(channel)
    assert.equal(await channel.track({ tab }), 'ok')
  }
  await until(watcher, (state) => state.ana?.length === 2, 'both tabs')
  await tabs[0].channel.unsubscribe()
  await until(watcher, (state) => state.ana?.length === 1, 'one tab left')
  assert.deepEqual(withoutRefs(watcher.channel.presenceState()), { ana: [{ tab: 1 }] })
})

test('presence: a lost socket leaves', async () => {
  const name = topic()
  const watcher = present(newClient(), name, 'watcher')
  await join(watcher.channel)
  const client = newClient()
  const guest = present(client, name, 'guest')
  await join(guest.channel)
  await guest.channel.track({})
  await until(watcher, (state) => state.guest, 'the guest')
  await client.realtime.disconnect()
  await until(watcher, (state) => !state.guest, 'the leave')
})

test('a private room lets in whom its policies let in', async () => {
  const config = { private: true }
  const [status, error] = await outcome(newClient().channel(topic('room'), { config }))
  assert.equal(status, 'CHANNEL_ERROR')
  assert.match(error.message, /^Unauthorized: You do not have permissions to read from this Channel topic: room:/)
  const { client } = await newPerson()
  const [elsewhere] = await outcome(client.channel(topic('cellar'), { config }))
  assert.equal(elsewhere, 'CHANNEL_ERROR')
  await join(client.channel(topic('room'), { config }))
})

test('members of a private room talk', async () => {
  const name = topic('room')
  const people = [await newPerson(), await newPerson()]
  const [one, two] = await Promise.all(
    people.map(({ client }) => member(client, name, { private: true, broadcast: { ack: true } })),
  )
  assert.equal(await say(one.channel, 'x', { n: 1 }), 'ok')
  assert.equal((await two.box.next()).payload.n, 1)
})

test('a private and a public room of one name are two', async () => {
  const name = topic('room')
  const { client } = await newPerson()
  const inside = await member(client, name, { private: true })
  const outside = await member(newClient(), name)
  await say(outside.channel, 'x', { from: 'outside' })
  await newClient().channel(name).httpSend('x', { from: 'public http' })
  const { client: other } = await newPerson()
  const second = await member(other, name, { private: true })
  await say(second.channel, 'x', { from: 'inside' })
  assert.equal((await inside.box.next()).payload.from, 'inside')
})

test('who may only read cannot write, and is not told', async () => {
  const name = topic('notice')
  const [reader, listener] = [await newPerson(), await newPerson()]
  const { channel } = await member(reader.client, name, { private: true })
  const { box } = await member(listener.client, name, { private: true })
  await say(channel, 'x', { from: 'reader' })
  await assert.rejects(channel.httpSend('x', { from: 'reader, by http' }), /Unauthorized/)
  valueOf(await newAdmin().rpc('announce', { topic: name, event: 'x', payload: { from: 'office' }, private: true }))
  assert.equal((await box.next()).payload.from, 'office')
})

test('private presence follows the policies', async () => {
  const name = topic('room')
  const [ana, eva] = [await newPerson(), await newPerson()]
  const first = present(ana.client, name, 'ana', { private: true })
  const second = present(eva.client, name, 'eva', { private: true })
  await join(first.channel)
  await join(second.channel)
  assert.equal(await second.channel.track({ n: 1 }), 'ok')
  await until(first, (state) => state.eva, 'the other')
})

test('the database sends to public and private rooms', async () => {
  const admin = newAdmin()
  const [open, closed] = [topic(), topic('room')]
  const visitor = await member(newClient(), open)
  const { client } = await newPerson()
  const insider = await member(client, closed, { private: true })
  for (const [name, isPrivate, { box }] of [[open, false, visitor], [closed, true, insider]]) {
    valueOf(await admin.rpc('announce', { topic: name, event: 'news', payload: { n: 1 }, private: isPrivate }))
    const received = await box.next()
    assert.deepEqual([received.event, received.payload.n], ['news', 1])
    assert.match(received.meta.id, /^[0-9a-f-]{36}$/)
  }
})

test('replay gives what the database sent before', async () => {
  const admin = newAdmin()
  const name = topic('room')
  const since = Date.now() - 60_000
  for (const n of [1, 2, 3]) {
    valueOf(await admin.rpc('announce', { topic: name, event: 'news', payload: { n }, private: true }))
  }
  const { client } = await newPerson()
  const { box } = await member(client, name, { private: true, broadcast: { replay: { since, limit: 2 } } })
  const [first, second] = [await box.next(), await box.next()]
  assert.deepEqual([first.payload.n, second.payload.n], [2, 3])
  assert.equal(first.meta.replayed, true)
})
