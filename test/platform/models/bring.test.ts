import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '../../../src/core/clock.ts'
import { parseCidrs } from '../../../src/core/networks.ts'
import { OperatorError } from '../../../src/core/operator-error.ts'
import { type BringOptions, bringModel } from '../../../src/platform/models/bring.ts'
import { sweepDownloads } from '../../../src/platform/models/download.ts'
import { createModelEgress } from '../../../src/platform/models/hub-egress.ts'
import { BrokenModel } from '../../../src/platform/models/proof.ts'
import { modelsFolder, type ShelvedModel } from '../../../src/platform/models/shelf.ts'
import { COMMIT, REPOSITORY, startHub } from '../../support/hub-stub.ts'

const ORDER = { hub: `${REPOSITORY}@${COMMIT}` }

let dataDir: string
let root: string
let hub: Awaited<ReturnType<typeof startHub>>

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'model-bring-'))
  root = modelsFolder(dataDir)
  hub = await startHub()
})
afterEach(() => {
  hub.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const modelAt = (dir: string, more: Partial<ShelvedModel> = {}): ShelvedModel => ({
  ...{ name: 'tiny-clip', dir, hash: 'a', dimension: 8, family: 'clip', bytes: 1, isBundled: false },
  ...more,
})

const bring = (shelf: Partial<BringOptions['shelf']>, name?: string) =>
  bringModel(ORDER, {
    ...{ dataDir, name, mirror: hub.mirror, isTrusted: true, isOffline: false },
    shelf: { find: async () => undefined, add: () => Promise.reject(new Error('not asked')), ...shelf },
    egress: createModelEgress({
      allowCidrs: parseCidrs('127.0.0.0/8'),
      isOffline: false,
      lookup: async () => ['127.0.0.1'],
    }),
    tell: () => {},
    signal: new AbortController().signal,
  })

/** Takes a download, and puts it where models lie. */
const takeAs = (name: string) => async (folder: string) => {
  cpSync(folder, join(root, name), { recursive: true })
  return { model: modelAt(join(root, name), { name }), isNew: true, isRefitted: false, warnings: [] }
}

test('a model gets the name that was asked for, and its download goes', async () => {
  const { model } = await bring({ add: takeAs('mine') }, 'mine')
  expect(model.name).toBe('mine')
  expect(existsSync(join(root, '.fetched-tiny-clip'))).toBe(false)
})

test('a model that is here is not downloaded again, and another one of its name is refused before a download', async () => {
  const dir = join(root, 'tiny-clip')
  await bring({ add: takeAs('tiny-clip') })
  const loaded = hub.loads().length
  expect(await bring({ find: async () => modelAt(dir) })).toMatchObject({ isNew: false, model: { dir } })
  rmSync(join(dir, 'config.json'))
  await expect(bring({ find: async () => modelAt(dir) })).rejects.toThrow('There is another model tiny-clip')
  expect(hub.loads().length).toBe(loaded)
})

test('names that no model may have are refused before a download', async () => {
  await expect(bring({}, '../up')).rejects.toThrow('is no name for a model')
  const bundled = modelAt('', { name: 'own', isBundled: true })
  await expect(bring({ find: async () => bundled }, 'own')).rejects.toThrow('the model inside the program')
  expect(hub.asked).toEqual([])
})

test('a model that is refused for good leaves no download, and one that wants memory leaves it for the next try', async () => {
  const folder = join(root, '.fetched-tiny-clip')
  await expect(bring({ add: () => Promise.reject(new OperatorError('no room')) })).rejects.toThrow('no room')
  expect(existsSync(folder)).toBe(true)
  await expect(bring({ add: () => Promise.reject(new BrokenModel('broken')) })).rejects.toThrow('broken')
  expect(existsSync(folder)).toBe(false)
})

test('downloads that nobody goes on with are deleted after a week', async () => {
  const now = Date.now()
  const [old, young] = [join(root, '.fetched-old.partial'), join(root, '.fetched-young')]
  for (const dir of [old, young, join(root, 'kept')]) mkdirSync(join(dir, 'onnx'), { recursive: true })
  const past = (now - 8 * DAY_MS) / 1_000
  for (const dir of [join(old, 'onnx'), old, young]) utimesSync(dir, past, past)
  await sweepDownloads(root, now)
  expect([old, young, join(root, 'kept')].map(existsSync)).toEqual([false, true, true])
})
