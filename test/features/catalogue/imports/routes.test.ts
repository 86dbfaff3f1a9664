import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { turn } from '../../../../src/core/turns.ts'
import { form, pictureBytes, type TestApp, testApp } from '../../../support/app.ts'
import { countRows } from '../../../support/seed.ts'
import { openStore } from '../../../support/storage.ts'
import { waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/import'
let app: TestApp
let token: string
let storeId: string
let bodies: string

beforeAll(() => {
  app = testApp()
  bodies = join(app.workFolder, 'bodies')
  mkdirSync(bodies, { recursive: true })
})
beforeEach(async () => {
  ;({ token, storeId } = await openStore(app, 'enterprise', app.newSlug()))
})
/** Uploads of dry runs stay for half an hour, and the next test looks for files. */
afterEach(async () => {
  app.forgetStore(storeId)
  while (readdirSync(bodies, { recursive: true }).length > 0) await turn()
})
afterAll(() => app.close())

const table = (...rows: string[]) => ['id,image,name', ...rows].join('\n')
const fields = (content: string | Uint8Array, more: Record<string, string> = {}) =>
  form({ ...more, file: Uint8Array.from(typeof content === 'string' ? strToU8(content) : content) })
const send = (content: string | Uint8Array, more: Record<string, string> = {}) =>
  app.call('POST', PATH, { token, body: fields(content, more) })

/** Imports a file and waits for the end of the job. */
async function finish(content: string | Uint8Array, more: Record<string, string> = {}) {
  const started = await send(content, more)
  expect([started.status, started.body['status']]).toEqual([202, 'processing'])
  return await waitForJob(app, storeId, token, String(started.body['job_id']))
}

const problems = (answer: { status: number; body: Record<string, unknown> }) => {
  const { errors = [] } = (answer.body['details'] ?? {}) as {
    errors?: { pointer: string; message: string }[]
  }
  return [answer.status, ...errors.map(({ pointer, message }) => `${pointer}: ${message}`)]
}
const filesLeft = () =>
  ['bodies', 'jobs'].flatMap((name) => {
    try {
      return readdirSync(join(app.workFolder, name))
    } catch {
      return []
    }
  })

describe('POST /v1/products/import (contract 2.12)', () => {
  test('a table becomes products; a wrong row fails alone and is reported with its line', async () => {
    const url = app.picture('a', 1)
    const job = await finish(table(`1,${url},Red mug`, ',x,', `2,${url},Blue mug`, '3,,None', `4,${url},a,b`))
    expect(job).toMatchObject({ type: 'import', status: 'completed', total: 5, succeeded: 2, failed: 3 })
    const errors = job['errors'] as { index: number; product_id: string | null; details: { line: number } }[]
    expect(errors.map(({ index, product_id, details }) => [index, product_id, details.line])).toEqual([
      [1, null, 3],
      [3, '3', 5],
      [4, null, 6],
    ])
    const product = await app.call('GET', '/v1/products/2', { token })
    expect(product.body).toMatchObject({ metadata: { name: 'Blue mug' } })
    expect(filesLeft()).toEqual([])
  })

  test('the file may be the body itself', async () => {
    const body = table(`1,${app.picture('a', 1)},Mug`)
    const headers = { 'content-type': 'text/csv' }
    const answer = await app.call('POST', PATH, { token, body, headers })
    expect([answer.status, answer.body['total']]).toEqual([202, 1])
  })

  test('a body with a mapping in the address', async () => {
    const body = `Artikel;Foto\n1;${app.picture('a', 1)}\n`
    const mapping = encodeURIComponent(JSON.stringify({ product_id: 'artikel', image_url: ['Foto'] }))
    const answer = await app.call('POST', `${PATH}?mapping=${mapping}&format=csv`, {
      ...{ token, body },
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect([answer.status, answer.body['total']]).toEqual([202, 1])
  })

  test('gzip, NDJSON and XML are known by their content', async () => {
    const url = app.picture('a', 1)
    expect(await finish(gzipSync(table(`1,${url},Mug`)))).toMatchObject({ succeeded: 1 })
    const line = JSON.stringify({ product_id: '2', image_url: url, metadata: { name: 'Line' } })
    expect(await finish(`${line}\nnonsense\n`)).toMatchObject({ succeeded: 1, failed: 1 })
    const item = `<item><g:id>3</g:id><g:image_link>${url}</g:image_link><title>Feed</title></item>`
    const feed = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>${item}</channel></rss>`
    expect(await finish(feed)).toMatchObject({ succeeded: 1 })
    const { body } = await app.call('GET', '/v1/products?sort=name', { token })
    const names = (body['products'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
    expect(names).toEqual(['Feed', 'Line', 'Mug'])
  })

  test('a zip file brings its pictures; one that is missing fails alone', async () => {
    const zip = zipSync({
      'shop/products.csv': strToU8(
        'id,image,name\n1,pictures/Red.jpg,Red\n2,blue.jpg,Blue\n3,green.jpg,Green\n',
      ),
      'shop/pictures/red.jpg': pictureBytes(1),
      'shop/other/blue.jpg': pictureBytes(2),
    })
    const job = await finish(zip)
    expect(job).toMatchObject({ succeeded: 2, failed: 1 })
    expect(JSON.stringify(job['errors'])).toContain('green.jpg, which the zip file does not hold')
    const { body } = await app.call('GET', '/v1/products/1', { token })
    expect(body['image_url']).toContain('/pictures/')
    expect(filesLeft()).toEqual([])
  })

  test('drafts are left out, and a warning counts them', async () => {
    const url = app.picture('a', 1)
    const job = await finish(
      `Handle,Title,Type,Image Src,Variant Price,Status\na,A,T,${url},1,active\nb,B,T,${url},1,draft\n`,
    )
    expect(job).toMatchObject({
      total: 1,
      warnings: ['1 product is a draft or not published: left out'],
    })
  })

  test('warnings tell what the products lack and which sales are none', async () => {
    const url = app.picture('a', 1)
    const rows = [`1,${url},5,9`, `2,${url},5,5`, `3,${url},5,4`, ',,,']
    const content = ['id,image,price,sale price', ...rows].join('\n')
    const warnings = [
      'No column fills name, category: 3 products have no name, no category. Name the column in mapping',
      '2 products have a sale price that is not below their price: the sales were left out',
    ]
    const shown = (await send(content, { dry_run: 'true' })).body['warnings'] as string[]
    expect(shown.filter((warning) => !warning.includes('PATCH /v1/store/settings'))).toEqual(warnings)
    expect((await finish(content))['warnings']).toEqual(warnings)
  })

  test('the saved mapping is used, and the one of the request goes before it', async () => {
    const feed_mapping = { product_id: 'Nr', image_url: 'Bild', name: 'Text' }
    await app.call('PATCH', '/v1/store/settings', { token, body: { feed_mapping } })
    const content = `Nr;Bild;Text;Titel\n1;${app.picture('a', 1)};one;two\n`
    const names = async (more = {}) => {
      const { body } = await send(content, { dry_run: 'true', ...more })
      return (body['products'] as { metadata: unknown }[])[0]?.metadata
    }
    expect(await names()).toEqual({ name: 'one' })
    expect(await names({ mapping: '{"name": "Titel"}' })).toEqual({ name: 'two' })
  })

  test('Idempotency-Key: the same bytes are imported once', async () => {
    const content = table(`1,${app.picture('a', 1)},Mug`)
    const headers = { 'idempotency-key': 'k', 'content-type': 'text/csv' }
    const once = () => app.call('POST', PATH, { token, body: content, headers })
    const first = await once()
    const again = await once()
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([
      202,
      'true',
      first.body,
    ])
    const other = await app.call('POST', PATH, { token, body: `${content}\n`, headers })
    expect([other.status, other.body['error']]).toEqual([422, 'idempotency_key_reused'])
  })
})

describe('a dry run', () => {
  test('shows what would be imported, and writes nothing', async () => {
    const answer = await send(
      table(`1,${app.picture('a', 1)},Mug`, '2,https://img.test/none.jpg,Gone', ',x,'),
      {
        dry_run: 'true',
      },
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      ...{ dry_run: true, format: 'csv', packing: 'none', encoding: 'utf-8', platform: 'plain' },
      columns: ['id', 'image', 'name'],
      mapping: { product_id: ['id'], image_url: ['image'], name: ['name'] },
      ...{ unmapped_columns: [], columns_you_may_want: [] },
      ...{ total: 3, valid: 2, invalid: 1, hidden: 0, errors_truncated: false },
      errors: [{ line: 4, product_id: null, error: 'validation_error' }],
    })
    expect(answer.body['products']).toMatchObject([
      {
        line: 2,
        product_id: '1',
        metadata: { name: 'Mug' },
        picture: { thumbnail: expect.stringContaining('data:') },
      },
      {
        ...{ line: 3, product_id: '2' },
        picture: { error: 'image_download_failed', details: { reason: expect.any(String) } },
      },
    ])
    expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)
    expect((await app.call('GET', '/v1/jobs', { token })).body['count']).toBe(0)
    // The upload.
    expect(filesLeft()).toHaveLength(1)
  })
})

describe('refused as a whole, with nothing left', () => {
  test.each([
    ['an empty file', '', 'The file is empty'],
    ['XML that ends too early', '<rss><item>', 'The XML cannot be read at line 1'],
    [
      'XML with entities that grow',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
      'a document type is not allowed',
    ],
    ['gzip that is cut', gzipSync('hello hello').subarray(0, 14), 'The gzip file is damaged'],
    ['a zip file without a table', zipSync({ 'a.jpg': pictureBytes(1) }), 'The zip file holds no table'],
    [
      'a zip file with two tables',
      zipSync({ 'a.csv': strToU8('id'), 'b.csv': strToU8('id') }),
      'The zip file holds 2 tables, and one is read: a.csv, b.csv',
    ],
    ['a picture', Buffer.from('ffd8ffe000104a464946', 'hex'), 'The file is image/jpeg, and not a table'],
    ['a page', '<!DOCTYPE html><html></html>', 'The file is a page (text/html), and not a table'],
    ['a text', '# Read me\n\nThis is no table.\n', 'its first line, "# Read me", has one column'],
    ['a header with an open quote', '"', 'The header in line 1 has a quote that is never closed'],
    ['too many empty rows', `id,image\n${'\n'.repeat(250_001)}`, 'more than 250000 rows'],
    ['too many empty lines', `{}${'\n'.repeat(250_001)}`, 'more than 250000 rows'],
    ['a path that leaves the zip file', zipSync({ '../a.csv': strToU8('id') }), 'The zip file is damaged'],
  ])('%s', async (_name, content, message) => {
    const answer = await send(content)
    const [status, problem] = problems(answer)
    expect([status, String(problem)]).toEqual([422, expect.stringContaining(message)])
    expect((await app.call('GET', '/v1/jobs', { token })).body['count']).toBe(0)
    expect(filesLeft()).toEqual([])
  })

  test('columns that tell neither the id nor the picture: all are named, with a mapping to send', async () => {
    const [status, ...found] = problems(await send('number,shot\n1,https://img.test/x\n'))
    expect([status, ...found.map(String)]).toEqual([
      422,
      '/mapping: No column fills product_id: name it in mapping, for example {"product_id":"number"}. The file has number, shot',
      '/mapping: No column fills image_url: name it in mapping, for example {"image_url":"shot"}. The file has number, shot',
    ])
  })

  test('a table without pictures: what to do is said', async () => {
    const [status, ...found] = problems(await send('id,name\n1,Mug\n'))
    expect([status, ...found]).toEqual([
      422,
      '/mapping: No column fills image_url: none holds the addresses of pictures. Add a column with them, or one with the names of picture files and put the table and the files into one zip file; a column that has them is named in mapping, as {"image_url":"…"}. The file has id, name',
    ])
  })

  test('up to 60 columns are named, and the others counted', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `c${n + 1}`)
    const message = async (count: number) => String(problems(await send(`${names(count).join(',')}\n1\n`))[1])
    expect(await message(60)).toEndWith('c59, c60')
    expect(await message(62)).toEndWith('c59, c60 and 2 more')
  })

  test('a picture column that holds pages', async () => {
    const content =
      'id,image,name\n1,https://shop.test/products/red-mug,Mug\n2,https://shop.test/blue.html,Mug\n'
    const answer = await send(content)
    const { errors } = answer.body['details'] as { errors: unknown[] }
    expect([answer.status, errors]).toEqual([
      422,
      [
        {
          ...{ in: 'body', pointer: '/mapping', code: 'pages_not_pictures' },
          message:
            'The column image holds the addresses of pages, such as https://shop.test/products/red-mug, and a picture is needed: name the column with the addresses of the pictures (.jpg, .png, .webp) in mapping, as {"image_url":"…"}. The file has id, image, name',
        },
      ],
    ])
    expect((await app.call('GET', '/v1/jobs', { token })).body['count']).toBe(0)
  })

  test.each([
    [{ mapping: 'nonsense' }, '/mapping'],
    [{ mapping: '{"colour": "x"}' }, '/mapping/colour'],
    [{ mapping: '{"name": 7}' }, '/mapping/name'],
    [{ format: 'xls' }, '/format'],
    [{ dry_run: 'maybe' }, '/dry_run'],
  ])('%j', async (more, pointer) => {
    const [status, problem] = problems(await send(table('1,x,y'), more))
    expect([status, String(problem)]).toEqual([422, expect.stringContaining(pointer)])
  })

  test('a form without a file, with two and with a file in another field', async () => {
    const files = (...names: string[]) => {
      const body = new FormData()
      for (const name of names) body.append(name, new Blob(['id']), 'a.csv')
      return body
    }
    for (const [body, message] of [
      [form({ dry_run: 'true' }), '/file: is required'],
      [files('file', 'file'), '/file: must be sent only once'],
      [files('table'), '/table: must not be a file: the file belongs in the field file'],
    ] as const) {
      expect(problems(await app.call('POST', PATH, { token, body }))).toEqual([422, message])
    }
    expect(filesLeft()).toEqual([])
  })

  test('a form that is cut', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    const body = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nid,ima'
    const answer = await app.call('POST', PATH, { token, body, headers })
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
    expect(filesLeft()).toEqual([])
  })

  test('an address that gets no callback', async () => {
    const answer = await send(table('1,x,y'), { callback_url: 'http://127.0.0.1/x' })
    expect([answer.status, answer.body['error']]).toEqual([422, 'url_not_allowed'])
  })
})

test('the pictures of one product in a zip file have a limit together, in a dry run and in the import', async () => {
  const large = new Uint8Array(6_000_000)
  const rows = 'id,image,images\n1,a.jpg,"b.jpg|c.jpg"\n2,d.jpg,\n'
  const zip = zipSync({
    'p.csv': strToU8(rows),
    ...{ 'a.jpg': large, 'b.jpg': large, 'c.jpg': pictureBytes(1), 'd.jpg': pictureBytes(2) },
  })
  const preview = await send(zip, { dry_run: 'true' })
  expect(preview.body).toMatchObject({
    ...{ valid: 1, invalid: 1 },
    products: [{ product_id: '2', image_url: 'd.jpg', picture: { thumbnail: expect.any(String) } }],
    errors: [{ product_id: '1', error: 'image_too_large' }],
  })
  expect(await finish(zip)).toMatchObject({ succeeded: 1, failed: 1 })
})

test('a dry run stops after 1,000 wrong products, and says so', async () => {
  const { body } = await send(table(...Array.from({ length: 1_500 }, () => '1,2,3,4,5,6,7')), {
    dry_run: 'true',
  })
  expect([body['invalid'], body['errors_truncated']]).toEqual([1_000, true])
  expect(body['warnings']).toEqual([
    'The dry run stopped at line 1001, after 1,000 wrong products: the counts are those up to there',
    expect.stringContaining('No column fills price, category'),
  ])
})

test('of very many wrong rows the first 10,000 are kept, the others are counted, and both are told', async () => {
  const url = app.picture('a', 1)
  const job = await finish(table(...Array.from({ length: 10_020 }, () => ',x,'), `1,${url},Mug`))
  expect(job).toMatchObject({ status: 'completed', total: 10_021, succeeded: 1, failed: 10_020 })
  expect([job['processed'], job['errors_truncated']]).toEqual([10_021, true])
  expect(job['warnings']).toContain(
    '10,020 items are wrong: the errors of the first 10,000 are kept, the others are only counted',
  )
  expect(countRows(app, 'job_items', { store_id: storeId })).toBe(10_000)
})

test('of a cell with very many characters the beginning is read', async () => {
  const { body } = await send(`id,image,category\n1,http://x.example/a,a${' '.repeat(300_000)}b\n`, {
    dry_run: 'true',
  })
  expect([body['valid'], body['invalid']]).toEqual([1, 0])
  expect(body['products']).toMatchObject([{ line: 2, metadata: { category: 'a' } }])
})

test('files of a store are read one after the other, and all are read', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      send(table(`${n},${app.picture(`turn-${n}`, 1)},x`), { dry_run: 'true' }),
    ),
  )
  expect(answers.map(({ body }) => body['valid'])).toEqual([1, 1, 1, 1])
})
