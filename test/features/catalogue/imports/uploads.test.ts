import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { strToU8 } from 'fflate'
import { LIMITS } from '../../../../src/core/limits.ts'
import { turn } from '../../../../src/core/turns.ts'
import { createUploads } from '../../../../src/features/catalogue/imports/uploads.ts'
import { createWorkFiles } from '../../../../src/platform/work-files.ts'
import { form, type TestApp, testApp } from '../../../support/app.ts'
import { addPerson, getToken } from '../../../support/people.ts'
import { openStore } from '../../../support/storage.ts'
import { waitForJob } from '../jobs/jobs.ts'

const PATH = '/v1/products/import'
let app: TestApp
let token: string
let storeId: string
let freeShare: number

beforeEach(async () => {
  freeShare = 0.5
  app = testApp({ readFreeDiskShare: async () => freeShare })
  ;({ token, storeId } = await openStore(app, 'enterprise'))
})
afterEach(() => app.close())

const HEAD = 'id,image,name,price,Fabric'
const table = (...rows: string[]) => [HEAD, ...rows].join('\n')
const row = (id: number | string, name = `Product ${id}`) =>
  `${id},${app.picture(`${id}`, 1)},${name},10,Wool`

const sendFile = (content: string, more: Record<string, string> = {}, as = token) =>
  app.call('POST', PATH, {
    token: as,
    body: form({ ...more, file: Uint8Array.from(strToU8(content)) }),
  })
const look = async (content: string, more: Record<string, string> = {}, as = token) =>
  (await sendFile(content, { dry_run: 'true', ...more }, as)).body
const sendAgain = (body: Record<string, unknown>, as = token) =>
  app.call('POST', PATH, { token: as, body: JSON.stringify(body), headers: JSON_TYPE })
const JSON_TYPE = { 'content-type': 'application/json' }
const files = () => {
  const folder = join(app.workFolder, 'bodies')
  return existsSync(folder) ? readdirSync(folder) : []
}
const untilFiles = async (count: number) => {
  while (files().length !== count) await turn()
}
const settle = (body: Record<string, unknown>) => waitForJob(app, storeId, token, String(body['job_id']))
const runChore = (name: string) => app.chores.find((chore) => chore.name === name)?.run()
const NO_UPLOAD = [404, 'not_found', { resource: 'upload' }]
const refusalOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => {
  const { request_id: _, ...details } = body['details'] as Record<string, unknown>
  return [status, body['error'], details]
}

test('the upload of a dry run is mapped anew and imported, without the file', async () => {
  const found = await look(table(row(1), row(2)))
  expect(files()).toHaveLength(1)
  const upload_id = String(found['upload_id'])
  expect(found['upload_expires_at']).toBe(new Date(app.clock.now() + LIMITS.keptUploadMs).toISOString())

  const mapping = { 'metadata.material': 'Fabric' }
  const again = await sendAgain({ upload_id, mapping, dry_run: true })
  expect(again.status).toBe(200)
  expect(again.body).toMatchObject({ upload_id, valid: 2, losses: [], unmapped_columns: [] })
  expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(0)

  const started = await sendAgain({ upload_id, mapping })
  expect([started.status, started.body['total']]).toEqual([202, 2])
  expect(await settle(started.body)).toMatchObject({ status: 'completed', succeeded: 2 })
  const product = await app.call('GET', '/v1/products/2', { token })
  expect(product.body['metadata']).toMatchObject({ material: 'Wool', name: 'Product 2' })
})

test('samples hold the first distinct values of every column', async () => {
  const rows = Array.from({ length: 8 }, (_, n) => row(n, n < 3 ? 'Mug' : `Mug ${'x'.repeat(200)}${n}`))
  const { samples } = await look(table(...rows))
  const { id, name, Fabric } = samples as Record<string, string[]>
  expect(id).toEqual(['0', '1', '2', '3', '4'])
  expect(name?.[0]).toBe('Mug')
  expect(name?.[1]).toHaveLength(100)
  expect(Fabric).toEqual(['Wool'])
})

test('sample sets how many products are shown, from 5 to 20', async () => {
  const content = table(...Array.from({ length: 30 }, (_, n) => row(n)))
  const shown = async (sample?: string) => {
    const { products } = await look(content, sample === undefined ? {} : { sample })
    return (products as { product_id: string; picture: object }[]).map(({ product_id }) => product_id)
  }
  const ids = Array.from({ length: 20 }, (_, n) => String(n))
  expect(await shown()).toEqual(ids.slice(0, 5))
  expect(await shown('20')).toEqual(ids)
  for (const sample of ['4', '21', '-1', '7.5', 'x', '1e1']) {
    const answer = await sendFile(content, { dry_run: 'true', sample })
    expect([answer.status, answer.body['message']]).toEqual([
      422,
      'sample must be a whole number from 5 to 20',
    ])
  }
  const { upload_id } = await look(content)
  expect((await sendAgain({ upload_id, dry_run: true, sample: 21 })).status).toBe(422)
})

test('a file whose columns tell nothing is kept, too, and the refusal shows what they hold', async () => {
  const content = `Artikel;Foto;Preis\n7;${app.picture('7', 1)};3\n`
  const refused = await sendFile(content, { dry_run: 'true', mapping: '{"image_url":[],"product_id":[]}' })
  expect(refused.status).toBe(422)
  const { upload_id, columns, samples } = refused.body['details'] as Record<string, unknown>
  expect(columns).toEqual(['Artikel', 'Foto', 'Preis'])
  expect(samples).toMatchObject({ Artikel: ['7'], Preis: ['3'] })
  const mapping = { product_id: 'Artikel', image_url: 'Foto' }
  expect((await sendAgain({ upload_id, mapping })).status).toBe(202)
  // An import that was no dry run keeps nothing.
  const plain = await sendFile(content, { mapping: '{"image_url":[],"product_id":[]}' })
  expect(plain.body['details']).not.toHaveProperty('upload_id')
})

test('an upload of another store, an unknown one and an ended one are not there', async () => {
  const { upload_id } = await look(table(row(1)))
  const other = await openStore(app, 'enterprise', 'other')
  expect(refusalOf(await sendAgain({ upload_id }, other.token))).toEqual(NO_UPLOAD)
  expect(refusalOf(await sendAgain({ upload_id: 'x' }))).toEqual(NO_UPLOAD)

  app.clock.advance(LIMITS.keptUploadMs - 1)
  // Each dry run keeps it for another half hour.
  expect((await sendAgain({ upload_id, dry_run: true })).status).toBe(200)
  app.clock.advance(LIMITS.keptUploadMs - 1)
  expect((await sendAgain({ upload_id })).status).toBe(202)
  app.clock.advance(1)
  expect(refusalOf(await sendAgain({ upload_id }))).toEqual(NO_UPLOAD)
  await untilFiles(0)
})

test('what has ended is deleted though nobody asks for it', async () => {
  await look(table(row(1)))
  app.clock.advance(LIMITS.keptUploadMs)
  expect(files()).toHaveLength(1)
  await runChore('deleting uploads of dry runs')
  await untilFiles(0)
})

test('a store keeps its three newest uploads', async () => {
  const ids: string[] = []
  for (const n of [1, 2, 3, 4]) {
    app.clock.advance(1)
    ids.push(String((await look(table(row(n))))['upload_id']))
  }
  await untilFiles(3)
  const answers = await Promise.all(ids.map((upload_id) => sendAgain({ upload_id, dry_run: true })))
  expect(answers.map(({ status }) => status)).toEqual([404, 200, 200, 200])
})

test('an erased store leaves no upload', async () => {
  const { upload_id } = await look(table(row(1)))
  app.forgetStore(storeId)
  await untilFiles(0)
  expect(refusalOf(await sendAgain({ upload_id }))).toEqual(NO_UPLOAD)
})

test('one upload used twice at once makes two jobs, and each product once', async () => {
  const { upload_id } = await look(table(row(1), row(2)))
  const answers = await Promise.all([sendAgain({ upload_id }), sendAgain({ upload_id })])
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  const jobs: Record<string, unknown>[] = []
  for (const { body } of answers) jobs.push(await settle(body))
  const sum = (field: string) => jobs.reduce((all, job) => all + Number(job[field]), 0)
  expect([sum('succeeded'), sum('unchanged'), sum('failed')]).toEqual([2, 2, 0])
})

test('on a disk that is nearly full nothing is kept, and what is kept goes', async () => {
  const { upload_id } = await look(table(row(1)))
  freeShare = 0.05
  const { upload_id: none, upload_expires_at, warnings } = await look(table(row(2)))
  expect([none, upload_expires_at]).toEqual([null, null])
  expect(warnings).toContainEqual(expect.stringContaining('The file was not kept'))
  expect(files()).toHaveLength(1)
  await runChore('deleting uploads of dry runs')
  await untilFiles(0)
  expect(refusalOf(await sendAgain({ upload_id }))).toEqual(NO_UPLOAD)
})

test('a JSON body without upload_id is still a file of one product', async () => {
  const body = JSON.stringify({ product_id: 'one', image_url: app.picture('one', 1) })
  const answer = await app.call('POST', PATH, { token, body, headers: JSON_TYPE })
  expect([answer.status, answer.body['total']]).toEqual([202, 1])
})

test('a wrong JSON body is refused with its fields', async () => {
  const answer = await sendAgain({ upload_id: 7, mapping: { name: 5 }, dry_run: 'yes' })
  const { errors } = answer.body['details'] as { errors: { pointer: string }[] }
  expect(answer.status).toBe(422)
  expect(errors.map(({ pointer }) => pointer)).toContain('/upload_id')
  expect(errors.map(({ pointer }) => pointer)).toContain('/dry_run')
})

test('of all stores the first bytes of each find room; one beyond its own gives way', async () => {
  const work = createWorkFiles(join(app.workFolder, 'own'), { isKept: false })
  const uploads = createUploads({ ...app.base, files: work, readFreeDiskShare: async () => 1 })
  const MIB = 1024 * 1024
  let names = 0
  const keep = async (store: string, sizeBytes: number) => {
    const name = `${++names}`
    const file = await work.create(name)
    await file.close()
    const received = { path: file.path, open: file.pieces, sizeBytes, fileName: null, keep: () => name }
    return (await uploads.keep(store, received))?.upload_id
  }
  // Stores that each keep three of the largest size: their first ones, and 1 GiB beyond these.
  const kept: unknown[] = []
  for (let n = 0; n < 25; n++) for (let i = 0; i < 3; i++) kept.push(await keep(`store-${n}`, 100 * MIB))
  const held = uploads.heldBytes()
  expect(held).toBeLessThanOrEqual(LIMITS.keptUploadBytes.max)
  expect(held).toBe((25 + 10) * 100 * MIB)
  // The last stores found room for their first one alone.
  expect(kept.slice(-3).map((id) => id !== undefined)).toEqual([true, false, false])
  // One more store finds its first bytes when all is full, because others have more.
  for (let n = 25; n < 30; n++) expect(await keep(`store-${n}`, 100 * MIB)).toBeDefined()
  expect(uploads.heldBytes()).toBeLessThanOrEqual(LIMITS.keptUploadBytes.max)
  expect(await keep('last', 100 * MIB)).toBeDefined()
  expect(uploads.heldBytes()).toBeLessThanOrEqual(LIMITS.keptUploadBytes.max)
  const isThere = (id: unknown, n: number) =>
    uploads.use(`store-${Math.floor(n / 3)}`, String(id), async () => true).catch(() => false)
  const left = await Promise.all(kept.map(isThere))
  // Five of the six stores found 596 MiB free. One of the ten extra uploads gave way to the last, and nobody lost its first.
  expect(left.filter(Boolean)).toHaveLength(34)
  for (let n = 0; n < 25; n++) expect(left.slice(3 * n, 3 * n + 3)).toContain(true)
})

test('delete_missing deletes what the file lacks, but neither the demo nor what a wrong row names', async () => {
  expect((await app.call('POST', '/v1/products/demo', { token })).status).toBe(200)
  const first = await sendFile(table(...Array.from({ length: 10 }, (_, n) => row(n))))
  expect(await settle(first.body)).toMatchObject({ succeeded: 10 })
  // Product 9 is missing, and the row of product 8 is wrong.
  const content = table(...Array.from({ length: 8 }, (_, n) => row(n)), '8,,Broken,1,')
  const { diff, upload_id } = await look(content)
  expect(diff).toMatchObject({ new: 0, unchanged: 8, gone: 1 })
  const started = await sendAgain({ upload_id, delete_missing: true })
  expect(await settle(started.body)).toMatchObject({ total: 10, succeeded: 1, unchanged: 8, failed: 1 })
  expect((await app.call('GET', '/v1/products/9', { token })).status).toBe(404)
  expect((await app.call('GET', '/v1/products/8', { token })).status).toBe(200)
  expect((await app.call('GET', '/v1/products?limit=1', { token })).body['total']).toBe(9 + 40)
})

test('delete_missing is refused where more than a fifth would go, and where rows name nothing', async () => {
  const first = await sendFile(table(...Array.from({ length: 10 }, (_, n) => row(n))))
  await settle(first.body)
  const few = await look(table(...Array.from({ length: 7 }, (_, n) => row(n))))
  const refused = await sendAgain({ upload_id: few['upload_id'], delete_missing: true })
  expect(refusalOf(refused)).toEqual([409, 'conflict', { missing: 3, store_products: 10, unnamed_rows: 0 }])
  const unnamed = await look(table(...Array.from({ length: 9 }, (_, n) => row(n)), ',x,,,'))
  expect((await sendAgain({ upload_id: unnamed['upload_id'], delete_missing: true })).status).toBe(409)
  expect((await app.call('GET', '/v1/jobs', { token })).body['count']).toBe(1)

  const forced = await sendAgain({ upload_id: few['upload_id'], delete_missing: true, force_delete: true })
  expect(await settle(forced.body)).toMatchObject({ succeeded: 3, unchanged: 7 })
  expect((await app.call('GET', '/v1/products', { token })).body['total']).toBe(7)
})

test('delete_missing needs the right to delete', async () => {
  const developer = await getToken(app, await addPerson(app, 'dev', [{ store: 'one', role: 'developer' }]))
  const content = table(row(1))
  expect((await sendFile(content, {}, developer)).status).toBe(202)
  const refused = await sendFile(content, { delete_missing: 'true' }, developer)
  expect([refused.status, refused.body['error']]).toEqual([403, 'permission_denied'])
})

test('a start of the program deletes the uploads of the one before', async () => {
  await look(table(row(1)))
  expect(files()).toHaveLength(1)
  createWorkFiles(join(app.workFolder, 'bodies'), { isKept: false })
  expect(files()).toEqual([])
})

test('a repeated import gets its answer, also when its upload has ended since', async () => {
  const { upload_id } = await look(table(row(1)))
  const headers = { ...JSON_TYPE, 'idempotency-key': 'k1' }
  const send = (as = token) =>
    app.call('POST', PATH, { token: as, body: JSON.stringify({ upload_id }), headers })
  const first = await send()
  expect(first.status).toBe(202)
  app.clock.advance(LIMITS.keptUploadMs)
  const again = await send()
  expect([again.status, again.body['job_id']]).toEqual([202, first.body['job_id']])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('wishes in the address count where the body has none, and force_delete goes with delete_missing', async () => {
  const { upload_id } = await look(table(row(1)))
  const call = (query: string, body: Record<string, unknown>) =>
    app.call('POST', `${PATH}?${query}`, {
      ...{ token, body: JSON.stringify({ upload_id, ...body }), headers: JSON_TYPE },
    })
  expect((await call('dry_run=true', {})).status).toBe(200)
  expect((await call('dry_run=true', { dry_run: false })).status).toBe(202)
  expect((await call('delete_missing=true', { force_delete: true })).status).toBe(202)
  const alone = await call('', { force_delete: true })
  expect([alone.status, alone.body['message']]).toEqual([422, 'force_delete goes with delete_missing'])
  const inForm = await sendFile(table(row(1)), { force_delete: 'true' })
  expect(inForm.status).toBe(422)
})
