import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createPictureFiles } from '../../../../src/platform/pictures/kept.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { gatedEmbedder } from '../../../support/gate.ts'
import { listFiles } from '../../../support/state.ts'

let app: TestApp
let token: string

beforeEach(async () => {
  app = testApp()
  token = await longToken(app)
})
afterEach(() => app.close())

/** A token that outlives hours of tidying. */
async function longToken(of: TestApp, name = 'one'): Promise<string> {
  const { client_id } = await of.store(name)
  return of.signToken({ sub: client_id, jti: name, user_type: 'client' }, 1_000_000)
}

const MINUTE = 60_000
const dataUri = (...axes: number[]) =>
  `data:image/jpeg;base64,${Buffer.from(pictureBytes(...axes)).toString('base64')}`
const post = (body: unknown, as = token) => app.call('POST', '/v1/products', { token: as, body })
const read = async (id: string) => (await app.call('GET', `/v1/products/${id}`, { token })).body
const addressOf = async (id: string) => String((await read(id))['image_url'])
const open = (address: string) => app.http.handle(new Request(address))
const nameOf = (...axes: number[]) =>
  createHash('sha256')
    .update(pictureBytes(...axes))
    .digest('hex')

describe('GET /pictures/{address} (contract 2.6): pictures that arrived as bytes', () => {
  test.each(['data URI', 'upload'])(
    '200: a %s is kept under its content hash and served without a credential',
    async (how) => {
      await post(
        how === 'upload'
          ? form({ product_id: 'p', image: pictureBytes(1) })
          : { product_id: 'p', image_url: dataUri(1) },
      )
      expect(listFiles(app)).toEqual([nameOf(1)])
      const picture = await open(await addressOf('p'))
      expect(picture.status).toBe(200)
      expect(await picture.bytes()).toEqual(pictureBytes(1))
      expect(Object.fromEntries(picture.headers)).toMatchObject({
        'content-type': 'image/jpeg',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
    },
  )

  test('further pictures may be data URIs as well', async () => {
    await post({ product_id: 'p', image_url: app.picture('a', 1), additional_image_urls: [dataUri(2)] })
    const [side] = (await read('p'))['additional_image_urls'] as string[]
    expect(await (await open(String(side))).bytes()).toEqual(pictureBytes(2))
  })

  test('404 not_found: an address that is not known, a hash, a path out of the folder', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    for (const address of ['x', nameOf(1), '..%2f..%2fetc%2fpasswd', '%00', 'a'.repeat(2_000)]) {
      const { status, body } = await app.call('GET', `/pictures/${address}`)
      expect([status, body['error']]).toEqual([404, 'not_found'])
    }
  })

  test('405 method_not_allowed: nobody writes to an address', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const path = new URL(await addressOf('p')).pathname
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await app.call(method, path, { token })).status).toBe(405)
    }
  })

  test('the address stays the same for the same content, and differs between stores that share the file', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    await post({ product_id: 'q', image_url: dataUri(1) })
    expect(await addressOf('q')).toBe(await addressOf('p'))
    const other = await app.signIn('two')
    await post({ product_id: 'p', image_url: dataUri(1) }, other)
    const theirs = (await app.call('GET', '/v1/products/p', { token: other })).body['image_url']
    expect(theirs).not.toBe(await addressOf('p'))
    expect(listFiles(app)).toHaveLength(1)
  })

  test('addresses are 128 random bits', async () => {
    const sizes: number[] = []
    const ids = {
      ...app.ids,
      secret(sizeBytes: number) {
        sizes.push(sizeBytes)
        return app.ids.secret(sizeBytes)
      },
    }
    const counting = testApp({ ids })
    const key = await counting.signIn()
    sizes.length = 0
    await counting.call('POST', '/v1/products', {
      token: key,
      body: { product_id: 'p', image_url: dataUri(1) },
    })
    expect(sizes).toEqual([16])
    await counting.close()
  })
})

describe('kept pictures as sources', () => {
  test('200 unchanged: a product may be sent back with the image_url of its own answer', async () => {
    await post({
      product_id: 'p',
      image_url: dataUri(1),
      additional_image_urls: [dataUri(2)],
      metadata: { a: 1 },
    })
    const { image_url, additional_image_urls, metadata } = await read('p')
    const again = await post({ product_id: 'p', image_url, additional_image_urls, metadata })
    expect(again.body['message']).toBe('unchanged')
    const changed = await post({ product_id: 'p', image_url, metadata: { a: 2 } })
    expect(changed.body['message']).toBe('updated')
    expect(await addressOf('p')).toBe(String(image_url))
    expect((await open(String(image_url))).status).toBe(200)
    expect(app.downloads).toEqual([])
  })

  test('200 unchanged: the same data URI again', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    expect((await post({ product_id: 'p', image_url: dataUri(1) })).body['message']).toBe('unchanged')
  })

  test('201: another product of the same store may name it, without any download', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const made = await post({ product_id: 'q', image_url: await addressOf('p') })
    expect(made.status).toBe(201)
    expect(app.downloads).toEqual([])
  })

  test('201: thousands of items may name one large picture: a known one is not read again', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const image_url = await addressOf('p')
    // Who opens the file finds it missing.
    rmSync(app.folder, { recursive: true })
    expect((await post({ product_id: 'q', image_url })).status).toBe(201)
    expect(await addressOf('q')).toBe(image_url)
  })

  test('200: a search by the image_url of an answer reads it without any download', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const { status, body } = await app.call('POST', '/v1/search/url', {
      token,
      body: { image_url: await addressOf('p') },
    })
    expect([status, (body['results'] as { product_id: string }[])[0]?.product_id]).toEqual([200, 'p'])
    expect(app.downloads).toEqual([])
  })

  test('422 image_download_failed: another store’s address is no source, for products and for searches', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const image_url = await addressOf('p')
    const other = await app.signIn('two')
    for (const answer of [
      await post({ product_id: 'mine', image_url }, other),
      await app.call('POST', '/v1/search/url', { token: other, body: { image_url } }),
    ]) {
      expect([answer.status, answer.body['error']]).toEqual([422, 'image_download_failed'])
    }
    const unknown = await post(
      { product_id: 'mine', image_url: 'http://lookalike.test/pictures/none' },
      other,
    )
    expect(unknown.body['error']).toBe('image_download_failed')
  })
})

/** The sweeper comes by, and again after that time. */
async function sweptAfter(ms: number, of = app): Promise<void> {
  await of.tidy()
  of.clock.advance(ms)
  await of.tidy()
}

describe('tidying of kept pictures', () => {
  test('one that no product uses any more is deleted after a minute and not before', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    const address = await addressOf('p')
    await app.call('DELETE', '/v1/products/p', { token })
    await sweptAfter(MINUTE - 1)
    expect((await open(address)).status).toBe(200)
    app.clock.advance(1)
    await app.tidy()
    expect((await open(address)).status).toBe(404)
    expect(listFiles(app)).toEqual([])
  })

  test('one in use stays for ever, also when only a second product uses it or another store', async () => {
    const other = await longToken(app, 'two')
    await post({ product_id: 'p', image_url: dataUri(1) })
    const address = await addressOf('p')
    await post({ product_id: 'q', image_url: address })
    await post({ product_id: 'r', image_url: dataUri(1) }, other)
    await app.call('DELETE', '/v1/products/p', { token })
    await sweptAfter(6_000 * MINUTE)
    expect((await open(address)).status).toBe(200)
    await app.call('DELETE', '/v1/products/q', { token })
    await sweptAfter(MINUTE)
    expect((await open(address)).status).toBe(404)
    expect(listFiles(app)).toEqual([nameOf(1)])
  })

  test('the picture of a product that was replaced by an address goes', async () => {
    await post({ product_id: 'p', image_url: dataUri(1) })
    await post({ product_id: 'p', image_url: app.picture('a', 2) })
    await sweptAfter(MINUTE)
    expect(listFiles(app)).toEqual([])
  })

  test('a picture that arrives again while it is deleted is written after that, and keeps its file', async () => {
    const files = createPictureFiles(app.folder, () => app.ids.uuid())
    const [removing, goOn, addressed] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const events: string[] = []
    const slow = testApp({
      ids: {
        ...app.ids,
        secret(sizeBytes) {
          if (sizeBytes === 16) addressed?.resolve()
          return app.ids.secret(sizeBytes)
        },
      },
      files: {
        ...files,
        write(name, bytes) {
          events.push(`write ${name}`)
          return files.write(name, bytes)
        },
        async remove(name) {
          removing?.resolve()
          await goOn?.promise
          await files.remove(name)
          events.push(`removed ${name}`)
        },
      },
    })
    const key = await longToken(slow)
    const send = (id: string, ...axes: number[]) =>
      slow.call('POST', '/v1/products', { token: key, body: { product_id: id, image_url: dataUri(...axes) } })
    const { id: storeId } = slow.db.prepare('SELECT id FROM stores').get() as { id: string }
    // As if these had been kept for products that were never saved.
    for (const n of [1, 2]) {
      slow.db
        .prepare(
          'INSERT INTO kept_pictures (address, store_id, content_hash, content_type, created_at) VALUES (?, ?, ?, ?, ?)',
        )
        .run(`old-${n}`, storeId, Buffer.from(nameOf(n), 'hex'), 'image/jpeg', 0n)
      await files.write(nameOf(n), pictureBytes(n))
    }
    await slow.tidy()
    slow.clock.advance(MINUTE)
    const tidied = slow.tidy()
    await removing?.promise
    const again = send('again', 1)
    await addressed?.promise
    // The second file waits for its turn to be deleted, and is needed again by then.
    expect((await send('other', 2)).status).toBe(201)
    goOn?.resolve()
    await tidied
    expect((await again).status).toBe(201)
    expect(events).toEqual([`write ${nameOf(2)}`, `removed ${nameOf(1)}`, `write ${nameOf(1)}`])
    for (const id of ['again', 'other']) {
      const { body } = await slow.call('GET', `/v1/products/${id}`, { token: key })
      expect((await slow.http.handle(new Request(String(body['image_url'])))).status).toBe(200)
    }
    await slow.close()
  })

  test('422 image_download_failed: a source that is swept before its product is saved', async () => {
    const gate = gatedEmbedder()
    const slow = testApp({ embedder: gate.embedder })
    const key = await longToken(slow)
    const send = (product_id: string, image_url: string) =>
      slow.call('POST', '/v1/products', { token: key, body: { product_id, image_url } })
    await send('p', dataUri(1))
    const image_url = String((await slow.call('GET', '/v1/products/p', { token: key })).body['image_url'])
    await slow.call('DELETE', '/v1/products/p', { token: key })
    await slow.tidy()
    slow.clock.advance(MINUTE)
    gate.close()
    const late = send('q', image_url)
    await gate.waited()
    await slow.tidy()
    gate.open()
    expect((await late).body['error']).toBe('image_download_failed')
    expect((await slow.call('GET', '/v1/products/q', { token: key })).status).toBe(404)
    await slow.close()
  })
})

describe('a file that cannot be written', () => {
  test('503 storage_full: no product, no vector', async () => {
    const failing = testApp({
      files: {
        ...createPictureFiles(app.folder, () => app.ids.uuid()),
        write: async () => {
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        },
      },
    })
    const key = await failing.signIn()
    const { status, body, headers } = await failing.call('POST', '/v1/products', {
      token: key,
      body: { product_id: 'p', image_url: dataUri(1) },
    })
    expect([status, body['error'], headers.get('retry-after')]).toEqual([503, 'storage_full', '60'])
    expect((await failing.call('GET', '/v1/products/p', { token: key })).status).toBe(404)
    await failing.close()
  })

  test.each([
    ['data:image/jpeg;base64,###', 'image_unreadable', 422],
    ['data:image/jpeg', 'image_unreadable', 422],
    [`data:image/jpeg;base64,${'A'.repeat(14 * 1024 * 1024)}`, 'image_too_large', 413],
    ['data:text/plain,hello', 'image_unreadable', 422],
  ])('a bad data URI (%#) is refused and nothing is kept', async (image_url, code, status) => {
    const answer = await post({ product_id: 'p', image_url })
    expect([answer.status, answer.body['error']]).toEqual([status, code])
    expect(listFiles(app)).toEqual([])
  })

  test('413 image_too_large: an upload of more than 10 MiB', async () => {
    const { status, body } = await post(
      form({ product_id: 'p', image: new Uint8Array(10 * 1024 * 1024 + 1) }),
    )
    expect([status, body['error']]).toEqual([413, 'image_too_large'])
  })
})
