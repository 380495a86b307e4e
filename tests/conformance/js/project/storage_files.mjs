// Every method of storage-js, as a person with a folder of their own and as the administrator.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { newAdmin, newClient, newPerson, valueOf } from '../support.mjs'

const admin = newAdmin()
const person = await newPerson('files')
const papers = person.client.storage.from('papers')
const own = (name) => `${person.id}/${name}`
const text = async (answer) => await valueOf(answer).text()

test('buckets are made, read, listed, changed, emptied and deleted', async () => {
  const name = `b-${randomUUID()}`
  assert.deepEqual(valueOf(await admin.storage.createBucket(name, { public: true, fileSizeLimit: '1MB' })), { name })
  assert.equal(valueOf(await admin.storage.getBucket(name)).file_size_limit, 1000000)
  valueOf(await admin.storage.updateBucket(name, { public: false }))
  assert.ok(valueOf(await admin.storage.listBuckets()).some((bucket) => bucket.id === name && !bucket.public))
  valueOf(await admin.storage.from(name).upload('a.txt', 'a'))
  const { error } = await admin.storage.deleteBucket(name)
  assert.deepEqual([error.status, error.statusCode], [400, '409'])
  valueOf(await admin.storage.emptyBucket(name))
  for (let tries = 0; tries < 200 && valueOf(await admin.storage.from(name).list()).length > 0; tries += 1);
  assert.deepEqual(valueOf(await admin.storage.deleteBucket(name)), { message: 'Successfully deleted' })
})

test('a person uploads text, bytes, blobs and forms into their folder', async () => {
  const form = new FormData()
  form.append('', new Blob(['form'], { type: 'text/plain' }), 'x.txt')
  const bodies = { text: 'text', bytes: Buffer.from('bytes'), blob: new Blob(['blob']), form }
  for (const [name, body] of Object.entries(bodies)) {
    const made = valueOf(await papers.upload(own(name), body, { contentType: 'text/css', cacheControl: '60', upsert: true }))
    assert.equal(made.path, own(name))
    assert.equal(await text(await papers.download(own(name))), name)
  }
})

test('another folder is refused, and what is not shown is not there', async () => {
  const { error } = await papers.upload('somebody/x.txt', 'x')
  assert.deepEqual([error.status, error.statusCode], [400, '403'])
  assert.match(error.message, /row-level security/)
  const other = (await newPerson('other')).client.storage.from('papers')
  await papers.upload(own('mine.txt'), 'mine', { upsert: true })
  assert.equal((await other.download(own('mine.txt'))).data, null)
  assert.deepEqual(valueOf(await other.list(person.id)), [])
  assert.deepEqual(valueOf(await other.remove([own('mine.txt')])), [])
})

test('an upload over a key is a duplicate; update and upsert overwrite', async () => {
  await papers.upload(own('k'), 'one', { upsert: true })
  const { error } = await papers.upload(own('k'), 'two')
  assert.deepEqual([error.message, error.statusCode], ['The resource already exists', '409'])
  valueOf(await papers.update(own('k'), 'three'))
  assert.equal(await text(await papers.download(own('k'))), 'three')
})

test('a stream is uploaded', async () => {
  const stream = new ReadableStream({
    start(controller) {
      for (const part of ['str', 'ea', 'med']) controller.enqueue(new TextEncoder().encode(part))
      controller.close()
    },
  })
  valueOf(await papers.upload(own('stream'), stream, { duplex: 'half', upsert: true }))
  assert.equal(await text(await papers.download(own('stream'))), 'streamed')
})

test('info, exists and metadata', async () => {
  valueOf(await papers.upload(own('info'), 'info', { metadata: { shelf: 3 }, upsert: true }))
  const info = valueOf(await papers.info(own('info')))
  assert.deepEqual([info.size, info.metadata], [4, { shelf: 3 }])
  assert.equal((await papers.exists(own('info'))).data, true)
  assert.equal((await papers.exists(own('nothing'))).data, false)
})

test('lists of both versions', async () => {
  for (const name of ['l/a.txt', 'l/b.txt', 'l/c/d.txt']) await papers.upload(own(name), 'x', { upsert: true })
  const listed = valueOf(await papers.list(own('l'), { sortBy: { column: 'name', order: 'desc' } }))
  assert.deepEqual(listed.map((entry) => entry.name), ['c', 'b.txt', 'a.txt'])
  const page = valueOf(await papers.listV2({ prefix: own('l/'), with_delimiter: true, limit: 2 }))
  assert.equal(page.hasNext, true)
  const next = valueOf(await papers.listV2({ prefix: own('l/'), with_delimiter: true, cursor: page.nextCursor }))
  assert.deepEqual(next.folders.map((entry) => entry.name), [own('l/c/')])
})

test('move, copy and remove', async () => {
  await papers.upload(own('m'), 'moved', { upsert: true })
  await papers.remove([own('m2'), own('m3')])
  valueOf(await papers.move(own('m'), own('m2')))
  valueOf(await papers.copy(own('m2'), own('m3')))
  assert.equal(await text(await papers.download(own('m3'))), 'moved')
  const removed = valueOf(await papers.remove([own('m2'), own('m3')]))
  assert.deepEqual(removed.map((row) => row.name).sort(), [own('m2'), own('m3')])
})

test('public files are read by anybody', async () => {
  const avatars = person.client.storage.from('avatars')
  valueOf(await avatars.upload(own('me.txt'), 'me', { contentType: 'text/plain', upsert: true }))
  const { publicUrl } = avatars.getPublicUrl(own('me.txt'), { download: 'my face.txt' }).data
  const read = await fetch(publicUrl)
  assert.equal(await read.text(), 'me')
  assert.match(read.headers.get('content-disposition'), /attachment; filename=my%20face.txt/)
  assert.equal(read.headers.get('access-control-allow-origin'), '*')
  const { error } = await avatars.upload(own('me.css'), 'x', { contentType: 'text/css' })
  assert.equal(error.statusCode, '415')
  const large = await avatars.upload(own('large.txt'), 'x'.repeat(100001), { contentType: 'text/plain' })
  assert.equal(large.error.statusCode, '413')
})

test('signed URLs read and write without a session', async () => {
  await papers.upload(own('s p.txt'), 'signed', { upsert: true })
  const { signedUrl } = valueOf(await papers.createSignedUrl(own('s p.txt'), 60))
  assert.equal(await (await fetch(signedUrl)).text(), 'signed')
  const many = valueOf(await papers.createSignedUrls([own('s p.txt'), own('none')], 60))
  assert.deepEqual(many.map((entry) => entry.error === null), [true, false])
  const key = own(`up-${randomUUID()}`)
  const { token } = valueOf(await papers.createSignedUploadUrl(key))
  const stranger = newClient().storage.from('papers')
  assert.equal(valueOf(await stranger.uploadToSignedUrl(key, token, 'later')).path, key)
  assert.equal(await text(await papers.download(key)), 'later')
})

test('a client without a session lists nothing and may not write', async () => {
  const stranger = newClient().storage.from('papers')
  assert.deepEqual(valueOf(await stranger.list()), [])
  assert.equal((await stranger.upload('x', 'x')).error.statusCode, '403')
})

test('a preflight is answered, and a request without any key is told of its token', async () => {
  const url = `${process.env.SUPABASE_URL}/storage/v1/bucket`
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'apikey,x-upsert', origin: 'http://a.example' }
  const preflight = await fetch(url, { method: 'OPTIONS', headers: asked })
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-headers')], [200, 'apikey,x-upsert'])
  assert.equal((await (await fetch(url)).json()).message, 'Invalid Compact JWS')
})

test('an image is transformed when it is downloaded, signed and public', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGP4z8AARwzEcQCukw/x0F8jngAAAABJRU5ErkJggg==',
    'base64',
  )
  valueOf(await papers.upload(own('i.png'), png, { contentType: 'image/png', upsert: true }))
  const half = valueOf(await papers.download(own('i.png'), { transform: { width: 2, format: 'origin' } }))
  const bytes = Buffer.from(await half.arrayBuffer())
  assert.deepEqual([half.type, bytes.readUInt32BE(16), bytes.readUInt32BE(20)], ['image/png', 2, 2])
  const { signedUrl } = valueOf(await papers.createSignedUrl(own('i.png'), 60, { transform: { width: 3 } }))
  const signed = await fetch(signedUrl, { headers: { accept: 'image/webp' } })
  assert.equal(signed.headers.get('content-type'), 'image/webp')
})
