// realtime-js: changes of the database. Silence is proved by what comes after it: a channel keeps
// the order of commits, so whatever was to be heard of earlier rows came before a later one.

import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import {
  inbox,
  join,
  joinChanges,
  newAdmin,
  newClient,
  newPerson,
  nextWhere,
  outcome,
  PUBLISHABLE,
  valueOf,
  within,
} from '../support.mjs'

const writer = newClient()
const write = async (table, rows) => valueOf(await writer.from(table).insert(rows).select())
const changes = (options) => ({ event: '*', schema: 'public', ...options })

// A channel that hears what `bindings` say, each into an inbox of its own.
async function listen(client, bindings, topic = `changes-${randomUUID()}`) {
  const channel = client.channel(topic)
  const boxes = bindings.map((binding) => {
    const box = inbox()
    channel.on('postgres_changes', binding, box.put)
    return box
  })
  await joinChanges(channel)
  return boxes
}

async function systemMessage(channel) {
  const box = inbox()
  channel.on('system', {}, box.put)
  await join(channel)
  return nextWhere(box, (m) => m.extension === 'postgres_changes', 'the system message')
}

test('an insert is told with every value in its JSON type', async () => {
  const batch = randomUUID()
  const [box] = await listen(newClient(), [changes({ table: 'readings', filter: `batch=eq.${batch}` })])
  const sent = {
    batch,
    n: 7,
    amount: 1.1,
    label: 'ñandú "x"',
    ok: false,
    at: '2026-02-03T04:05:06.5+00:00',
    day: '2026-02-03',
    tags: ['a', 'b,c', ''],
    data: { deep: [1, null, { y: 'z' }] },
    ref: randomUUID(),
  }
  const [{ id }] = await write('readings', sent)
  const change = await box.next()
  assert.deepEqual(change.new, { id, ...sent })
  assert.deepEqual(change.old, {})
  assert.deepEqual([change.schema, change.table, change.eventType, change.errors], ['public', 'readings', 'INSERT', null])
  assert.match(change.commit_timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Math.abs(Date.parse(change.commit_timestamp) - Date.now()) < 60_000)
})

test('updates and deletes carry the old key, or the whole old row under full identity', async () => {
  const batch = randomUUID()
  const [readings, alarms] = await listen(newClient(), [
    changes({ table: 'readings' }),
    changes({ table: 'alarms', filter: `batch=eq.${batch}` }),
  ])
  const [reading] = await write('readings', { batch, n: 1 })
  const [alarm] = await write('alarms', { batch, level: 1 })
  valueOf(await writer.from('readings').update({ n: 2 }).eq('id', reading.id))
  valueOf(await writer.from('alarms').update({ level: 2 }).eq('id', alarm.id))
  valueOf(await writer.from('readings').delete().eq('id', reading.id))
  valueOf(await writer.from('alarms').delete().eq('id', alarm.id))
  const mine = (type) => (c) => c.eventType === type && (c.new.id ?? c.old.id) === reading.id
  const updated = await nextWhere(readings, mine('UPDATE'))
  assert.deepEqual([updated.new.n, updated.old], [2, { id: reading.id }])
  const deleted = await nextWhere(readings, mine('DELETE'))
  assert.deepEqual([deleted.new, deleted.old], [{}, { id: reading.id }])
  assert.equal((await alarms.next()).eventType, 'INSERT')
  const raised = await alarms.next()
  assert.deepEqual([raised.new.level, raised.old], [2, { id: alarm.id, batch, level: 1 }])
  const cleared = await alarms.next()
  assert.deepEqual([cleared.eventType, cleared.old], ['DELETE', { id: alarm.id, batch, level: 2 }])
})

const ROWS = [
  { n: 1, label: 'red apple', ok: true, amount: 1.5, day: '2026-01-01' },
  { n: 5, label: 'Red plum', ok: false, amount: 2.5, day: '2026-01-02' },
  { n: 10, label: 'green, pear', ok: null, amount: null, day: null },
  { n: null, label: null, ok: true, amount: 100, day: '2026-01-03' },
]
// The filter beside the batch's, and the numbers of the rows it lets through.
const FILTERS = {
  'n=eq.5': [2],
  'n=neq.5': [1, 3],
  'n=lt.5': [1],
  'n=lte.5': [1, 2],
  'n=gt.5': [3],
  'n=gte.5': [2, 3],
  'n=in.(1,10)': [1, 3],
  'n=not.eq.5': [1, 3],
  'n=not.in.(1,10)': [2],
  'n=is.null': [4],
  'n=not.is.null': [1, 2, 3],
  'n=isdistinct.5': [1, 3, 4],
  'n=not.isdistinct.5': [2],
  'ok=is.true': [1, 4],
  'ok=is.false': [2],
  'ok=is.unknown': [3],
  'ok=eq.true': [1, 4],
  'label=like.%apple': [1],
  'label=ilike.red%': [1, 2],
  'label=not.like.%apple': [2, 3],
  'label=match.^[rg]': [1, 3],
  'label=imatch.^r': [1, 2],
  'label=eq."green, pear"': [3],
  'label=in.("green, pear","Red plum")': [2, 3],
  'amount=gt.2': [2, 4],
  'amount=lt.99': [1, 2],
  'day=eq.2026-01-02': [2],
  'n=gt.1,n=lt.10': [2],
  'n=gte.1,label=ilike.red%,ok=is.true': [1],
}

test('every filter lets through exactly what it says', async () => {
  const batch = randomUUID()
  const filters = Object.keys(FILTERS)
  const boxes = await listen(newClient(), [
    changes({ table: 'readings', filter: `batch=eq.${batch}-end` }),
    ...filters.map((filter) => changes({ table: 'readings', filter: `batch=eq.${batch},${filter}` })),
  ])
  await write('readings', ROWS.map((row, index) => ({ ...row, batch, data: index + 1 })))
  await write('readings', { batch: `${batch}-end` })
  await boxes[0].next('the end')
  const received = filters.map((filter, index) => [filter, boxes[index + 1].received.map((c) => c.new.data)])
  assert.deepEqual(Object.fromEntries(received), FILTERS)
})

test('each binding of a channel hears its own event and table', async () => {
  const batch = randomUUID()
  const filter = `batch=eq.${batch}`
  const [inserts, updates, deletes, alarms, end] = await listen(newClient(), [
    { event: 'INSERT', schema: 'public', table: 'readings', filter },
    { event: 'UPDATE', schema: 'public', table: 'readings', filter },
    { event: 'DELETE', schema: 'public', table: 'alarms', filter },
    { event: '*', schema: 'public', table: 'alarms', filter },
    { event: '*', schema: 'public', table: 'readings', filter: `batch=eq.${batch}-end` },
  ])
  const [row] = await write('readings', { batch, n: 1 })
  valueOf(await writer.from('readings').update({ n: 2 }).eq('id', row.id))
  const [alarm] = await write('alarms', { batch })
  valueOf(await writer.from('alarms').delete().eq('id', alarm.id))
  await write('readings', { batch: `${batch}-end` })
  await end.next()
  const types = (box) => box.received.map((c) => c.eventType)
  assert.deepEqual(
    [types(inserts), types(updates), types(deletes), types(alarms)],
    [['INSERT'], ['UPDATE'], ['DELETE'], ['INSERT', 'DELETE']],
  )
})

test('a whole schema is heard', async () => {
  const batch = randomUUID()
  const [box] = await listen(newClient(), [changes({})])
  await write('readings', { batch })
  await write('alarms', { batch })
  const mine = (c) => c.new.batch === batch
  assert.equal((await nextWhere(box, mine)).table, 'readings')
  assert.equal((await nextWhere(box, mine)).table, 'alarms')
})

test('select cuts the record to the chosen columns and the key', async () => {
  const batch = randomUUID()
  const [box] = await listen(newClient(), [
    changes({ table: 'readings', filter: `batch=eq.${batch}`, select: ['n'] }),
  ])
  const [{ id }] = await write('readings', { batch, n: 3, label: 'hidden' })
  assert.deepEqual((await box.next()).new, { id, n: 3 })
})

test('one statement of many rows is told row by row, in order, on every channel', async () => {
  const batch = randomUUID()
  const filter = `batch=eq.${batch}`
  const boxes = await Promise.all(
    Array.from({ length: 5 }, async () => (await listen(newClient(), [changes({ table: 'readings', filter })]))[0]),
  )
  const expected = Array.from({ length: 200 }, (_, n) => n)
  await write('readings', expected.map((n) => ({ batch, n })))
  for (const box of boxes) {
    const received = []
    while (received.length < 200) received.push((await box.next()).new.n)
    assert.deepEqual(received, expected)
  }
})

test('a table outside the publication is refused by a message', async () => {
  const channel = newClient().channel('x').on('postgres_changes', changes({ table: 'unpublished' }), () => {})
  const said = await systemMessage(channel)
  assert.deepEqual([said.status, said.channel], ['error', 'x'])
  assert.equal(
    said.message,
    'Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: unpublished, filters: [], select: nil]',
  )
})

test('bad filters are refused by a message', async () => {
  for (const [filter, expected] of [
    ['nope=eq.1', /invalid column for filter nope/],
    ['n=eq.x', /invalid input syntax for type integer: "x"/],
    ['n=foo.1', /^Error parsing `filter` params: \["foo", "1"\]/],
    ['wrong', /^Error parsing `filter` params: \["wrong"\]/],
    ['n=in.1,2', /^Error parsing `filter` params: `in` filter value must be wrapped by parentheses/],
    ['n=like.1%', /operator like requires a text-compatible column type, got integer/],
    ['label=match.[', /invalid regular expression/],
    ['n=is.true', /is true filter requires a boolean column, got integer/],
    [`n=in.(${Array.from({ length: 101 }, (_, i) => i)})`, /too many values for `in` filter. Maximum 100/],
  ]) {
    const client = newClient()
    const channel = client.channel('x').on('postgres_changes', changes({ table: 'readings', filter }), () => {})
    const said = await systemMessage(channel)
    assert.equal(said.status, 'error', filter)
    assert.match(said.message, expected)
    await client.removeAllChannels()
  }
})

test('policies decide who hears of a row', async () => {
  const [ana, eva] = [await newPerson('ana'), await newPerson('eva')]
  const bindings = [changes({ table: 'diary' }), changes({ table: 'readings', filter: `batch=eq.${ana.id}` })]
  const [hers, herEnd] = await listen(ana.client, bindings)
  const [others, othersEnd] = await listen(eva.client, bindings)
  const [all, allEnd] = await listen(newAdmin(), bindings)
  const body = randomUUID()
  valueOf(await ana.client.from('diary').insert({ body }))
  valueOf(await ana.client.from('diary').update({ body: `${body}!` }).eq('body', body))
  await write('readings', { batch: ana.id })
  for (const end of [herEnd, othersEnd, allEnd]) await end.next()
  const bodies = (box) => box.received.map((c) => c.new.body).filter((text) => text?.startsWith(body))
  assert.deepEqual(bodies(hers).at(-1), `${body}!`)
  assert.deepEqual(bodies(all), bodies(hers))
  assert.deepEqual(others.received, [])
})

test('signing in changes what a live channel hears', async () => {
  const ana = await newPerson('ana')
  const client = newClient()
  const batch = randomUUID()
  const systems = inbox()
  const diary = inbox()
  const end = inbox()
  const channel = client
    .channel('diary')
    .on('system', {}, systems.put)
    .on('postgres_changes', changes({ table: 'diary' }), diary.put)
    .on('postgres_changes', changes({ table: 'readings', filter: `batch=eq.${batch}` }), end.put)
  await join(channel)
  await systems.next()
  valueOf(await ana.client.from('diary').insert({ body: 'before' }))
  await write('readings', { batch })
  await end.next()
  // The original tells a role without any right that there was something, and not a word more.
  const [failed, ...more] = diary.received
  assert.deepEqual([failed.new, failed.errors, more], [{}, ['Error 401: Unauthorized'], []])
  diary.received.length = 0
  valueOf(await client.auth.signInWithPassword({ email: ana.email, password: 'secreto-123' }))
  assert.equal((await systems.next('the second system message')).message, 'Subscribed to PostgreSQL')
  valueOf(await ana.client.from('diary').insert({ body: 'after' }))
  assert.equal((await diary.next()).new.body, 'after')
})

test('a dropped connection comes back and hears on', async () => {
  const sockets = []
  class Watched extends WebSocket {
    constructor(...rest) {
      super(...rest)
      sockets.push(this)
    }
  }
  const client = newClient(PUBLISHABLE, { realtime: { transport: Watched, reconnectAfterMs: () => 20 } })
  const batch = randomUUID()
  const box = inbox()
  const systems = inbox()
  const channel = client
    .channel('again')
    .on('system', {}, systems.put)
    .on('postgres_changes', changes({ table: 'readings', filter: `batch=eq.${batch}` }), box.put)
  await join(channel)
  await systems.next()
  sockets[0].close()
  await nextWhere(systems, (m) => m.status === 'ok', 'the subscription after the reconnection')
  assert.equal(sockets.length, 2)
  await write('readings', { batch, n: 1 })
  assert.equal((await box.next()).new.n, 1)
})

test('serializer 1.0.0 hears the same', async () => {
  const client = newClient(PUBLISHABLE, { realtime: { vsn: '1.0.0' } })
  const batch = randomUUID()
  const [box] = await listen(client, [changes({ table: 'readings', filter: `batch=eq.${batch}` })])
  const [{ id }] = await write('readings', { batch, n: 1 })
  assert.equal((await box.next()).new.id, id)
})

function shortToken(seconds) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const body = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role: 'anon', exp: now + seconds, iat: now })}`
  return `${body}.${createHmac('sha256', process.env.JWT_SECRET).update(body).digest('base64url')}`
}

test('a channel ends when its token does', async () => {
  const client = newClient()
  await client.realtime.setAuth(shortToken(2))
  const systems = inbox()
  const statuses = inbox()
  client.channel('short').on('system', {}, systems.put).subscribe(statuses.put)
  assert.equal(await statuses.next(), 'SUBSCRIBED')
  assert.match((await systems.next('the expiry')).message, /^Token has expired \d+ seconds ago$/)
  assert.equal(await statuses.next(), 'CLOSED')
})

test('a token that is none closes the channel with its reason', async () => {
  const client = newClient()
  const systems = inbox()
  const statuses = inbox()
  client.channel('broken').on('system', {}, systems.put).subscribe(statuses.put)
  assert.equal(await statuses.next(), 'SUBSCRIBED')
  await client.realtime.setAuth('nonsense')
  assert.equal((await systems.next()).message, 'The token provided is not a valid JWT')
  assert.equal(await statuses.next(), 'CLOSED')
})

test('joining with an expired token is refused with the reason', async () => {
  const client = newClient()
  await client.realtime.setAuth(shortToken(-60))
  const [status, error] = await outcome(client.channel('late'))
  assert.equal(status, 'CHANNEL_ERROR')
  assert.match(error.message, /^InvalidJWTToken: Token has expired \d+ seconds ago$/)
})

test('an empty topic is refused', async () => {
  const [status, error] = await outcome(newClient().channel(''))
  assert.equal(status, 'CHANNEL_ERROR')
  assert.equal(error.message, 'TopicNameRequired: You must provide a topic name')
})

test('a heartbeat is answered', async () => {
  const beats = inbox()
  const client = newClient(PUBLISHABLE, { realtime: { heartbeatIntervalMs: 200 } })
  client.realtime.onHeartbeat((status) => beats.put(status))
  await join(client.channel('beating'))
  await nextWhere(beats, (status) => status === 'ok', 'an answered heartbeat')
})

test('removeAllChannels leaves every one', async () => {
  const client = newClient()
  await join(client.channel('one'))
  await join(client.channel('two'))
  assert.deepEqual(await within(client.removeAllChannels(), 'the leaves'), ['ok', 'ok'])
  assert.deepEqual(client.getChannels(), [])
})
