// Every reading method of postgrest-js. Rows below id 1000 are the project's own and never change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, newAdmin, newClient, valueOf } from '../support.mjs'

const client = newClient()
const items = (columns = 'id', options) => client.from('items').select(columns, options).lt('id', 1000)
const ids = async (query) => valueOf(await query.order('id')).map((row) => row.id)

test('select gives every column with its JSON type', async () => {
  const [row] = valueOf(await items('*').eq('id', 1))
  assert.deepEqual(row, {
    id: 1,
    brand_id: 1,
    name: 'red kettle',
    price: 25.5,
    stock: 4,
    active: true,
    tags: ['kitchen', 'red'],
    details: { watts: 900, box: { kg: 1.5 } },
    sizes: '[1,5)',
    added_on: '2026-01-01',
    words: "'kettl':2 'red':1",
  })
})

test('an answer has its status, its text and no count unless asked', async () => {
  const { status, statusText, count, error } = await items()
  assert.deepEqual([status, statusText, count, error], [200, 'OK', null, null])
})

test('columns are renamed, cast and taken out of JSON', async () => {
  const [row] = valueOf(
    await items('number:id, price::text, details->watts, kg:details->box->>kg, first:tags->0').eq('id', 1),
  )
  assert.deepEqual(row, { number: 1, price: '25.50', watts: 900, kg: '1.5', first: 'kitchen' })
})

test('a computed field is a column', async () => {
  assert.deepEqual(valueOf(await items('id, shout').eq('id', 3)), [{ id: 3, shout: 'GARDEN LAMP' }])
})

test('eq, neq, gt, gte, lt and lte compare', async () => {
  assert.deepEqual(await ids(items().eq('name', 'desk lamp')), [4])
  assert.deepEqual(await ids(items().neq('brand_id', 1)), [3, 4])
  assert.deepEqual(await ids(items().gt('price', 30)), [3, 4])
  assert.deepEqual(await ids(items().gte('price', 30)), [2, 3, 4])
  assert.deepEqual(await ids(items().lt('price', 30)), [1])
  assert.deepEqual(await ids(items().lte('price', 30)), [1, 2])
})

test('like and ilike match patterns, and lists of them', async () => {
  assert.deepEqual(await ids(items().like('name', '%lamp')), [3, 4])
  assert.deepEqual(await ids(items().ilike('name', 'RED%')), [1])
  assert.deepEqual(await ids(items().likeAllOf('name', ['%lamp%', 'd%'])), [4])
  assert.deepEqual(await ids(items().likeAnyOf('name', ['red%', 'desk%'])), [1, 4])
  assert.deepEqual(await ids(items().ilikeAllOf('name', ['%LAMP%', 'G%'])), [3])
  assert.deepEqual(await ids(items().ilikeAnyOf('name', ['RED%', 'Old%'])), [1, 5])
})

test('regexMatch and regexIMatch use POSIX expressions', async () => {
  assert.deepEqual(await ids(items().regexMatch('name', '^(red|blue) ')), [1, 2])
  assert.deepEqual(await ids(items().regexIMatch('name', 'LAMP$')), [3, 4])
})

test('is and isDistinct see null', async () => {
  assert.deepEqual(await ids(items().is('brand_id', null)), [5])
  assert.deepEqual(await ids(items().is('active', false)), [2])
  assert.deepEqual(await ids(items().is('active', true)), [1, 3, 5])
  assert.deepEqual(await ids(items().isDistinct('brand_id', 1)), [3, 4, 5])
})

test('in and notIn take lists, with commas and parentheses in their members', async () => {
  assert.deepEqual(await ids(items().in('name', ['old, worn (box)', 'desk lamp'])), [4, 5])
  assert.deepEqual(await ids(items().in('id', [1, 3])), [1, 3])
  assert.deepEqual(await ids(items().in('id', [])), [])
  assert.deepEqual(await ids(items().notIn('id', [1, 2, 3])), [4, 5])
})

test('contains, containedBy and overlaps work on arrays', async () => {
  assert.deepEqual(await ids(items().contains('tags', ['kitchen'])), [1, 2])
  assert.deepEqual(await ids(items().containedBy('tags', ['kitchen', 'red', 'garden'])), [1, 3, 5])
  assert.deepEqual(await ids(items().overlaps('tags', ['red', 'office'])), [1, 4])
})

test('contains and containedBy work on JSON and ranges', async () => {
  assert.deepEqual(await ids(items().contains('details', { watts: 900 })), [1])
  assert.deepEqual(await ids(items().containedBy('details', { watts: 40, more: 1 })), [4])
  assert.deepEqual(await ids(items().contains('sizes', '[2,3)')), [1])
  assert.deepEqual(await ids(items().overlaps('sizes', '[4,10)')), [1, 2, 3])
})

test('ranges are compared', async () => {
  assert.deepEqual(await ids(items().rangeGt('sizes', '[4,9)')), [3, 5])
  assert.deepEqual(await ids(items().rangeGte('sizes', '[4,9)')), [2, 3, 5])
  assert.deepEqual(await ids(items().rangeLt('sizes', '[9,12)')), [1, 2])
  assert.deepEqual(await ids(items().rangeLte('sizes', '[4,9)')), [1, 2])
  assert.deepEqual(await ids(items().rangeAdjacent('sizes', '[5,9)')), [1, 3])
})

test('textSearch in its four forms', async () => {
  assert.deepEqual(await ids(items().textSearch('words', 'lamp')), [3, 4])
  assert.deepEqual(await ids(items().textSearch('words', "'red' | 'garden'", { config: 'english' })), [1, 3])
  assert.deepEqual(await ids(items().textSearch('words', 'kettles blue', { type: 'plain', config: 'english' })), [2])
  assert.deepEqual(await ids(items().textSearch('words', 'desk lamps', { type: 'phrase', config: 'english' })), [4])
  assert.deepEqual(
    await ids(items().textSearch('words', 'lamp -garden', { type: 'websearch', config: 'english' })),
    [4],
  )
  assert.deepEqual(await ids(items().textSearch('name', 'lamps', { config: 'english' })), [3, 4])
})

test('match, not, or and filter combine', async () => {
  assert.deepEqual(await ids(items().match({ brand_id: 2, stock: 7 })), [3])
  assert.deepEqual(await ids(items().not('brand_id', 'is', null).not('name', 'like', '%lamp')), [1, 2])
  assert.deepEqual(await ids(items().or('price.lt.26,and(price.gt.100,active.is.true)')), [1, 3])
  assert.deepEqual(await ids(items().or('name.eq."old, worn (box)",id.in.(1,2)')), [1, 2, 5])
  assert.deepEqual(await ids(items().filter('name', 'in', '("desk lamp","red kettle")')), [1, 4])
  assert.deepEqual(await ids(items().filter('details->watts', 'gt', 100)), [1, 2])
})

test('values with quotes, percent signs and other scripts are data', async () => {
  const [row] = valueOf(await items('details->>note').eq('id', 5))
  assert.equal(row.note, 'a "quoted" word')
  assert.deepEqual(await ids(items().eq('details->>note', 'a "quoted" word')), [5])
  assert.deepEqual(await ids(items().eq('name', "'; drop table items; --")), [])
  assert.deepEqual(await ids(items().eq('name', '100 % ñandú 日本 + & = #')), [])
})

test('order takes directions, nulls and several columns', async () => {
  const sorted = async (query) => valueOf(await query).map((row) => row.id)
  assert.deepEqual(await sorted(items().order('price', { ascending: false })), [5, 3, 4, 2, 1])
  assert.deepEqual(await sorted(items().order('price', { ascending: false, nullsFirst: false })), [3, 4, 2, 1, 5])
  assert.deepEqual(await sorted(items().order('price', { nullsFirst: true })), [5, 1, 2, 4, 3])
  assert.deepEqual(await sorted(items().order('brand_id').order('id', { ascending: false })), [2, 1, 4, 3, 5])
  assert.deepEqual(await sorted(items('id, brands(name)').order('brands(name)', { ascending: false }).order('id')), [5, 3, 4, 1, 2])
})

test('limit and range cut pages', async () => {
  assert.deepEqual(await ids(items().limit(2)), [1, 2])
  assert.deepEqual(await ids(items().range(1, 3)), [2, 3, 4])
  assert.deepEqual(await ids(items().range(10, 20)), [])
})

test('counts come with rows, without them, and by estimate', async () => {
  const exact = await items('id', { count: 'exact' }).limit(2)
  assert.deepEqual([exact.count, exact.data.length, exact.status], [5, 2, 206])
  const head = await items('id', { count: 'exact', head: true }).eq('brand_id', 1)
  assert.deepEqual([head.count, head.data, head.status], [2, null, 200])
  assert.equal(typeof (await items('id', { count: 'planned' })).count, 'number')
  assert.ok((await items('id', { count: 'estimated' })).count >= 5)
})

test('a page beyond the counted end is refused', async () => {
  const answer = await items('id', { count: 'exact' }).range(50, 60)
  assertError(answer, {
    code: 'PGRST103',
    message: 'Requested range not satisfiable',
    details: 'An offset of 50 was requested, but there are only 5 rows.',
    hint: null,
  })
  assert.equal(answer.status, 416)
})

test('single wants exactly one row', async () => {
  assert.deepEqual(valueOf(await items().eq('id', 2).single()), { id: 2 })
  for (const [query, rows] of [[items().eq('id', 0), 0], [items().lt('id', 3), 2]]) {
    const answer = await query.single()
    assertError(answer, {
      code: 'PGRST116',
      message: 'Cannot coerce the result to a single JSON object',
      details: `The result contains ${rows} rows`,
      hint: null,
    })
    assert.equal(answer.status, 406)
  }
})

test('maybeSingle takes none, one, but not two', async () => {
  assert.equal(valueOf(await items().eq('id', 0).maybeSingle()), null)
  assert.deepEqual(valueOf(await items().eq('id', 2).maybeSingle()), { id: 2 })
  assertError(await items().lt('id', 3).maybeSingle(), { code: 'PGRST116' })
})

test('csv is text with a header', async () => {
  const text = valueOf(await items('id,name,active,tags').in('id', [1, 2, 5]).order('id').csv())
  assert.equal(
    text,
    'id,name,active,tags\n1,"red kettle",t,"{kitchen,red}"\n2,"blue kettle",f,"{kitchen,blue}"\n5,"old, worn (box)",t,{}',
  )
})

test('stripNulls leaves keys without a value out', async () => {
  assert.deepEqual(valueOf(await items('id, brand_id, price').eq('id', 5).stripNulls()), [{ id: 5 }])
  assert.deepEqual(valueOf(await items('id, sizes').eq('id', 4).stripNulls().single()), { id: 4 })
})

test('explain shows the plan, as text and as JSON, and runs it with analyze', async () => {
  const text = valueOf(await items().eq('id', 1).explain())
  assert.match(text, /cost=/)
  const [{ Plan: plan }] = valueOf(await items().eq('id', 1).explain({ format: 'json', verbose: true, analyze: true }))
  assert.ok(plan['Actual Rows'] >= 0)
})

test('a to-one embed is an object or null', async () => {
  const rows = valueOf(await items('id, brands(name)').in('id', [1, 5]).order('id'))
  assert.deepEqual(rows, [
    { id: 1, brands: { name: 'Acme' } },
    { id: 5, brands: null },
  ])
})

test('a to-many embed is an array with its own filters, order and limit', async () => {
  const rows = valueOf(
    await client
      .from('brands')
      .select('name, items(name, price)')
      .lt('id', 1000)
      .gt('items.price', 26)
      .lt('items.id', 1000)
      .order('name')
      .order('price', { referencedTable: 'items', ascending: false })
      .limit(1, { referencedTable: 'items' }),
  )
  assert.deepEqual(rows, [
    { name: 'Acme', items: [{ name: 'blue kettle', price: 30 }] },
    { name: 'Bolt', items: [{ name: 'garden lamp', price: 120 }] },
    { name: 'Corva', items: [] },
  ])
})

test('a one-to-one embed is an object', async () => {
  const rows = valueOf(await items('id, manuals(pages)').in('id', [1, 2]).order('id'))
  assert.deepEqual(rows, [
    { id: 1, manuals: { pages: 12 } },
    { id: 2, manuals: null },
  ])
})

test('a many-to-many embed goes through its junction', async () => {
  const [row] = valueOf(await items('id, labels(title)').eq('id', 1).order('title', { referencedTable: 'labels' }))
  assert.deepEqual(row, { id: 1, labels: [{ title: 'new' }, { title: 'sale' }] })
})

test('inner joins drop parents, and null filters choose them', async () => {
  assert.deepEqual(await ids(items('id, labels!inner(title)').eq('labels.title', 'sale')), [1, 3])
  assert.deepEqual(await ids(items('id, labels()').is('labels', null)), [2, 4, 5])
  assert.deepEqual(await ids(items('id, labels()').not('labels', 'is', null)), [1, 3])
})

test('embeds nest, are renamed and hinted, and spread', async () => {
  const [row] = valueOf(
    await client.from('brands').select('title:name, products:items!items_brand_id_fkey(id, item_labels(weight, labels(title)))').eq('id', 2).lt('products.id', 1000).order('id', { referencedTable: 'products' }),
  )
  assert.deepEqual(row, {
    title: 'Bolt',
    products: [
      { id: 3, item_labels: [{ weight: 9, labels: { title: 'sale' } }] },
      { id: 4, item_labels: [] },
    ],
  })
  assert.deepEqual(valueOf(await items('id, ...brands(brand:name)').in('id', [1, 5]).order('id')), [
    { id: 1, brand: 'Acme' },
    { id: 5, brand: null },
  ])
})

test('or works on an embed', async () => {
  const [row] = valueOf(
    await client.from('brands').select('items(id)').eq('id', 2).lt('items.id', 1000).or('price.gt.100,stock.eq.2', { referencedTable: 'items' }).order('id', { referencedTable: 'items' }),
  )
  assert.deepEqual(row, { items: [{ id: 3 }, { id: 4 }] })
})

test('a view embeds what its table embeds', async () => {
  const rows = valueOf(await client.from('dear_items').select('name, brands(name)').lt('id', 1000))
  assert.deepEqual(rows, [{ name: 'garden lamp', brands: { name: 'Bolt' } }])
})

test('aggregates group by what else is selected', async () => {
  const rows = valueOf(await client.from('items').select('brand_id, price.sum(), n:id.count()').lt('id', 1000).order('brand_id'))
  assert.deepEqual(rows, [
    { brand_id: 1, sum: 55.5, n: 2 },
    { brand_id: 2, sum: 165, n: 2 },
    { brand_id: null, sum: null, n: 1 },
  ])
})

test('another schema is chosen by schema()', async () => {
  const inventory = client.schema('inventory')
  assert.deepEqual(valueOf(await inventory.from('shelves').select('place').order('place')), [
    { place: 'north' },
    { place: 'south' },
  ])
  assertError(await client.from('shelves').select(), { code: 'PGRST205' })
  const hidden = await client.schema('auth').from('users').select()
  assertError(hidden, {
    code: 'PGRST106',
    message: 'Invalid schema: auth',
    hint: 'Only the following schemas are exposed: public, inventory',
  })
  assert.equal(hidden.status, 406)
})

test('unknown tables, columns and embeds are told apart', async () => {
  const table = await client.from('itemz').select()
  assertError(table, {
    code: 'PGRST205',
    message: "Could not find the table 'public.itemz' in the schema cache",
    hint: "Perhaps you meant the table 'public.items'",
  })
  assert.equal(table.status, 404)
  const column = await items('nope')
  assertError(column, { code: '42703', message: 'column items.nope does not exist' })
  assert.equal(column.status, 400)
  const embed = await items('id, counters(key)')
  assertError(embed, { code: 'PGRST200' })
  assert.equal(embed.status, 400)
})

test('bad values carry the database\'s own code', async () => {
  const answer = await items().eq('id', 'seven')
  assertError(answer, { code: '22P02', message: 'invalid input syntax for type integer: "seven"', details: null, hint: null })
  assert.equal(answer.status, 400)
})

test('throwOnError rejects with the error', async () => {
  await assert.rejects(async () => client.from('itemz').select().throwOnError(), { code: 'PGRST205' })
})

test('an aborted request ends in the client', async () => {
  const controller = new AbortController()
  const pending = items().abortSignal(controller.signal).then((answer) => answer)
  controller.abort()
  assert.match((await pending).error.message, /abort/i)
})

test('setHeader reaches the server', async () => {
  const answer = await items('id').setHeader('Prefer', 'handling=strict, nonsense').eq('id', 1)
  assertError(answer, { code: 'PGRST122', details: 'Invalid preferences: nonsense' })
})

test('geojson needs PostGIS, and says what is missing', async () => {
  const answer = await items('id').geojson()
  assertError(answer, { code: '42883' })
  assert.equal(answer.status, 404)
})

test('the OpenAPI document names the tables', async () => {
  const document = valueOf(await newAdmin().rest.getOpenApiSpec())
  assert.equal(document.swagger, '2.0')
  assert.ok(document.definitions.items.properties.price)
})
