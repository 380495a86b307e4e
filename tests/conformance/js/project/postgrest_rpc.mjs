// Calling functions with postgrest-js: POST, GET and HEAD, and what every kind of result looks like.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertError, newClient, newPerson, valueOf } from '../support.mjs'

const client = newClient()

test('a scalar is the bare value', async () => {
  assert.equal(valueOf(await client.rpc('add', { a: 2, b: 3 })), 5)
  assert.equal(valueOf(await client.rpc('add', { a: 2 })), 3)
})

test('get puts the arguments into the address', async () => {
  assert.equal(valueOf(await client.rpc('add', { a: 2, b: 3 }, { get: true })), 5)
  assert.equal(valueOf(await client.rpc('total', { amounts: [1, 2, 3] }, { get: true })), 6)
})

test('head counts without rows', async () => {
  const answer = await client.rpc('items_from', { floor_price: 40 }, { head: true, count: 'exact' }).lt('id', 1000)
  assert.deepEqual([answer.data, answer.count, answer.error], [null, 2, null])
})

test('arrays and documents are arguments', async () => {
  assert.equal(valueOf(await client.rpc('total', { amounts: [1, 2, 3] })), 6)
  const document = { a: [1, 'two', null, { b: true }], ñ: 1.5 }
  assert.deepEqual(valueOf(await client.rpc('mirror', { document })), document)
})

test('a set of rows is filtered, ordered, cut and embedded like a table', async () => {
  const rows = valueOf(
    await client
      .rpc('items_from', { floor_price: 26 })
      .select('id, brands(name)')
      .lt('id', 1000)
      .order('id', { ascending: false })
      .limit(2),
  )
  assert.deepEqual(rows, [
    { id: 4, brands: { name: 'Bolt' } },
    { id: 3, brands: { name: 'Bolt' } },
  ])
})

test('one row is one object', async () => {
  const row = valueOf(await client.rpc('first_item').select('id, name'))
  assert.deepEqual(row, { id: 1, name: 'red kettle' })
  assert.deepEqual(valueOf(await client.rpc('first_item').select('id').single()), { id: 1 })
})

test('a function without a result answers 204', async () => {
  const answer = await client.rpc('nothing')
  assert.deepEqual([answer.status, answer.data, answer.error], [204, null, null])
})

test('counts of a set', async () => {
  const answer = await client.rpc('items_from', { floor_price: 26 }, { count: 'exact' }).lt('id', 1000).limit(1)
  assert.deepEqual([answer.count, answer.data.length], [3, 1])
})

test('a raised error keeps its sentence, detail and hint', async () => {
  const answer = await client.rpc('refuse', { reason: 'not today' })
  assertError(answer, { code: 'P0001', message: 'not today', details: 'the detail', hint: 'the hint' })
  assert.equal(answer.status, 400)
})

test('a raised status is the answer\'s', async () => {
  const answer = await client.rpc('teapot')
  assertError(answer, { code: 'PT418', message: 'Short and stout', details: 'tip me over', hint: 'pour' })
  assert.equal(answer.status, 418)
})

test('writing through get is refused', async () => {
  const answer = await client.rpc('count_up', { key: randomUUID() }, { get: true })
  assertError(answer, { code: '25006' })
  assert.equal(answer.status, 405)
})

test('unknown functions and arguments are named', async () => {
  const unknown = await client.rpc('subtract', { a: 1 })
  assertError(unknown, {
    code: 'PGRST202',
    message: 'Could not find the function public.subtract(a) in the schema cache',
  })
  assert.equal(unknown.status, 404)
  assertError(await client.rpc('add', { a: 1, c: 2 }), {
    code: 'PGRST202',
    details:
      'Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
    hint: 'Perhaps you meant to call the function public.add(a, b)',
  })
})

test('another schema has its own functions', async () => {
  assert.equal(valueOf(await client.schema('inventory').rpc('shelf_count')), 2)
  assertError(await client.rpc('shelf_count'), { code: 'PGRST202' })
})

test('a function sees who calls', async () => {
  assert.deepEqual(valueOf(await client.rpc('who_am_i')), { uid: null, role: 'anon', user: 'anon' })
  const person = await newPerson()
  assert.deepEqual(valueOf(await person.client.rpc('who_am_i')), {
    uid: person.id,
    role: 'authenticated',
    user: 'authenticated',
  })
})
