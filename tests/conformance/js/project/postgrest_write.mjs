// Every writing method of postgrest-js. What is written has ids from 1001 on, or keys of its own.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertError, newClient, valueOf } from '../support.mjs'

const client = newClient()
const counters = () => client.from('counters')
const fresh = (name = 'key') => `${name}-${randomUUID()}`
const shape = ({ status, statusText, data, error, count }) => ({ status, statusText, data, error, count })

test('insert without select gives nothing back', async () => {
  const answer = await counters().insert({ key: fresh() })
  assert.deepEqual(shape(answer), { status: 201, statusText: 'Created', data: null, error: null, count: null })
})

test('insert with select gives the rows with their defaults', async () => {
  const key = fresh()
  const answer = await counters().insert({ key }).select()
  assert.deepEqual(valueOf(answer), [{ key, value: 0, note: 'fresh' }])
  assert.equal(answer.status, 201)
})

test('many rows go in together, and missing keys become null', async () => {
  const [a, b] = [fresh(), fresh()]
  const rows = valueOf(await counters().insert([{ key: a, value: 1, note: 'x' }, { key: b, value: 2 }]).select().order('value'))
  assert.deepEqual(rows, [
    { key: a, value: 1, note: 'x' },
    { key: b, value: 2, note: null },
  ])
})

test('defaultToNull false gives missing keys their default', async () => {
  const [a, b] = [fresh(), fresh()]
  const rows = [{ key: a, value: 1, note: 'x' }, { key: b, value: 2 }]
  const made = valueOf(await counters().insert(rows, { defaultToNull: false }).select('note').order('note'))
  assert.deepEqual(made, [{ note: 'fresh' }, { note: 'x' }])
})

test('one bad row keeps all out', async () => {
  const key = fresh()
  const answer = await counters().insert([{ key, value: 1 }, { key, value: 2 }])
  assertError(answer, {
    code: '23505',
    message: 'duplicate key value violates unique constraint "counters_pkey"',
    details: `Key (key)=(${key}) already exists.`,
  })
  assert.equal(answer.status, 409)
  assert.deepEqual(valueOf(await counters().select().eq('key', key)), [])
})

test('insert counts what it wrote', async () => {
  const answer = await counters().insert([{ key: fresh() }, { key: fresh() }], { count: 'exact' })
  assert.equal(answer.count, 2)
})

test('an insert embeds what it refers to', async () => {
  const row = valueOf(
    await client.from('items').insert({ name: 'mug', brand_id: 1, price: 5 }).select('name, brands(name)').single(),
  )
  assert.deepEqual(row, { name: 'mug', brands: { name: 'Acme' } })
})

test('arrays, JSON, ranges and big numbers arrive as they were sent', async () => {
  const sent = { name: 'set', tags: ['a,b', 'c"d', ''], details: { deep: [1, { x: null }], s: 'ñ' }, sizes: '[1,2)', price: 99999999.99 }
  const row = valueOf(await client.from('items').insert(sent).select(Object.keys(sent).join()).single())
  assert.deepEqual(row, sent)
  const answer = await counters().insert({ key: fresh(), value: 9007199254740993n }).select('value::text').single()
  assert.equal(valueOf(answer).value, '9007199254740993')
})

test('constraints refuse with their own codes', async () => {
  const items = client.from('items')
  const missing = await items.insert({ price: 1 })
  assertError(missing, { code: '23502' })
  assert.equal(missing.status, 400)
  const checked = await items.insert({ name: '' })
  assertError(checked, { code: '23514' })
  assert.equal(checked.status, 400)
  const dangling = await items.insert({ name: 'x', brand_id: 77777 })
  assertError(dangling, { code: '23503', details: 'Key (brand_id)=(77777) is not present in table "brands".' })
  assert.equal(dangling.status, 409)
  assertError(await items.insert({ name: 'x', price: 'dear' }), { code: '22P02' })
  assertError(await items.insert({ name: 'x', words: 'y' }), { code: '428C9' })
})

test('an unknown column is refused by name', async () => {
  const answer = await counters().insert({ key: fresh(), colour: 'red' })
  assertError(answer, {
    code: 'PGRST204',
    message: "Could not find the 'colour' column of 'counters' in the schema cache",
  })
  assert.equal(answer.status, 400)
})

test('upsert inserts, then merges', async () => {
  const key = fresh()
  const first = await counters().upsert({ key, value: 1 }).select().single()
  assert.deepEqual([first.status, valueOf(first).value], [201, 1])
  const second = await counters().upsert({ key, value: 2 }).select().single()
  assert.deepEqual([second.status, valueOf(second)], [200, { key, value: 2, note: 'fresh' }])
})

test('upsert may ignore duplicates', async () => {
  const [old, recent] = [fresh(), fresh()]
  valueOf(await counters().insert({ key: old, value: 1 }))
  const rows = [{ key: old, value: 9 }, { key: recent, value: 9 }]
  const made = valueOf(await counters().upsert(rows, { ignoreDuplicates: true }).select('key'))
  assert.deepEqual(made, [{ key: recent }])
  assert.equal(valueOf(await counters().select('value').eq('key', old).single()).value, 1)
})

test('upsert may conflict on another unique column', async () => {
  const name = fresh('brand')
  const brand = valueOf(await client.from('brands').insert({ name }).select('id').single())
  const upserted = await client.from('brands').upsert({ name, country: 'PT' }, { onConflict: 'name' }).select().single()
  assert.deepEqual(valueOf(upserted), { id: brand.id, name, country: 'PT' })
  assertError(await client.from('brands').upsert({ name }, { onConflict: 'country' }), { code: '42P10' })
})

test('upsert with defaults for missing keys, and a count', async () => {
  const rows = [{ key: fresh(), note: 'x' }, { key: fresh() }]
  const answer = await counters().upsert(rows, { defaultToNull: false, count: 'exact' }).select('note').order('note')
  assert.deepEqual(valueOf(answer), [{ note: 'fresh' }, { note: 'x' }])
  assert.equal(answer.count, 2)
})

test('update changes what its filters choose', async () => {
  const key = fresh()
  valueOf(await counters().insert({ key }))
  const silent = await counters().update({ value: 5 }).eq('key', key)
  assert.deepEqual(shape(silent), { status: 204, statusText: 'No Content', data: null, error: null, count: null })
  const updated = await counters().update({ note: null }, { count: 'exact' }).eq('key', key).select()
  assert.deepEqual([updated.status, updated.count, valueOf(updated)], [200, 1, [{ key, value: 5, note: null }]])
})

test('an update of nothing is no error', async () => {
  const answer = await counters().update({ value: 1 }).eq('key', 'nobody').select()
  assert.deepEqual([answer.status, valueOf(answer)], [200, []])
  assertError(await counters().update({ value: 1 }).eq('key', 'nobody').select().single(), { code: 'PGRST116' })
})

test('delete removes, counts and shows what it removed', async () => {
  const keys = [fresh(), fresh(), fresh()]
  valueOf(await counters().insert(keys.map((key) => ({ key }))))
  const shown = await counters().delete().eq('key', keys[0]).select('key')
  assert.deepEqual([shown.status, valueOf(shown)], [200, [{ key: keys[0] }]])
  const counted = await counters().delete({ count: 'exact' }).in('key', keys)
  assert.deepEqual([counted.status, counted.count, counted.data], [204, 2, null])
})

test('single rolls a write back when it is not one row', async () => {
  const note = fresh('note')
  valueOf(await counters().insert([{ key: fresh(), note }, { key: fresh(), note }]))
  assertError(await counters().delete().eq('note', note).select().single(), { code: 'PGRST116' })
  assert.equal(valueOf(await counters().select('key').eq('note', note)).length, 2)
})

test('maxAffected rolls back what is too much', async () => {
  const note = fresh('note')
  valueOf(await counters().insert([{ key: fresh(), note }, { key: fresh(), note }]))
  assertError(await counters().update({ value: 8 }).eq('note', note).maxAffected(1), {
    code: 'PGRST124',
    details: 'The query affects 2 rows',
  })
  assert.deepEqual(valueOf(await counters().select('value').eq('note', note)), [{ value: 0 }, { value: 0 }])
  valueOf(await counters().update({ value: 8 }).eq('note', note).maxAffected(2))
})

test('rollback answers as if it had happened', async () => {
  const key = fresh()
  const row = valueOf(await counters().insert({ key }).select('key').single().rollback())
  assert.deepEqual(row, { key })
  assert.equal(valueOf(await counters().select().eq('key', key).maybeSingle()), null)
})

test('fifty concurrent counts lose none', async () => {
  const key = fresh()
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.rpc('count_up', { key })))
  const values = answers.map(valueOf).sort((a, b) => a - b)
  assert.deepEqual(values, Array.from({ length: 50 }, (_, i) => i + 1))
})
