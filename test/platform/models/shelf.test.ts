import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../../src/core/operator-error.ts'
import { tryLockModels } from '../../../src/platform/db/instance-lock.ts'
import { copyModel, nameAfter } from '../../../src/platform/models/incoming.ts'
import type { Made, Makes, ModelProver } from '../../../src/platform/models/proof.ts'
import {
  type AddStep,
  createModelShelf,
  type ModelFolder,
  type ModelShelf,
} from '../../../src/platform/models/shelf.ts'

const CALIBRATION = { image_image: { midpoint: 0.5, slope: 9 }, text_image: { midpoint: 0.2, slope: 30 } }
const GOLDEN = {
  pictures: [{ name: 'a', file: '', vector: '' }],
  texts: [{ text: 'a', vector: '' }],
}
const PROOF: Made['proof'] = {
  accuracy: { pictures: 0.99, texts: 1, fast: null },
  speed: { pictureMs: 20, textMs: 2 },
  fit: {
    ...{ same_picture: 0.98, same_kind: 0.5, other_kind: 0.1, own_words: 0.8, other_words: 0.05 },
    ...{ pictures_told_apart: 0.9, words_told_apart: 0.9 },
  },
  languages: ['en'],
  warnings: ['The model is slow.'],
}

let root: string
let dataDir: string
let source: string
let shelf: ModelShelf
/** What the prover was asked for. */
let asked: { dir: string; makes: Makes }[]
let hashed: string[]
let refusal: Error | undefined

/** Hashes as the true one does, and takes any weights for good. */
const prover: ModelProver = {
  async describe(dir) {
    hashed.push(dir)
    const hasher = new Bun.CryptoHasher('sha256')
    for (const path of NEEDED) hasher.update(readFileSync(join(dir, path)))
    return { hash: hasher.digest('hex'), dimension: 8, family: 'clip' }
  },
  async prove(dir, { makes, tell }) {
    asked.push({ dir, makes })
    tell({ step: 'load', done: 1, total: 1 })
    if (refusal) throw refusal
    return { proof: PROOF, ...(makes !== 'nothing' && { calibration: CALIBRATION, golden: GOLDEN }) }
  },
}

const NEEDED = [
  ...['config.json', 'preprocessor_config.json', 'tokenizer.json', 'tokenizer_config.json'],
  ...['onnx/text_model_quantized.onnx', 'onnx/vision_model_quantized.onnx'],
]

/** Looks at names alone: the weights of these tests are text. */
function inspect(dir: string): ModelFolder {
  const files = [...NEEDED, 'calibration.json', 'golden.json'].flatMap((path) => {
    const stat = lstatSync(join(dir, path), { throwIfNoEntry: false })
    if (stat === undefined && NEEDED.includes(path)) throw new Error(`${path} is missing`)
    return stat ? [{ path, bytes: stat.size }] : []
  })
  return { family: 'clip', dimension: 8, files }
}

const options = (more: { name?: string; refit?: boolean; demandUnused?(name: string): void } = {}) => ({
  ...more,
  tell: () => {},
  signal: new AbortController().signal,
})

/** Writes a folder in the layout of transformers.js whose weights are text. */
function writeModel(dir: string, weights = 'weights'): string {
  mkdirSync(join(dir, 'onnx'), { recursive: true })
  writeFileSync(join(dir, 'config.json'), '{"model_type":"clip","projection_dim":8}')
  for (const name of ['preprocessor_config.json', 'tokenizer.json', 'tokenizer_config.json'])
    writeFileSync(join(dir, name), '{}')
  for (const side of ['text', 'vision'])
    writeFileSync(join(dir, `onnx/${side}_model_quantized.onnx`), `${weights} of ${side}`)
  return dir
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lookalike-shelf-'))
  dataDir = join(root, 'data')
  mkdirSync(dataDir)
  source = writeModel(join(root, 'My Model'))
  asked = []
  hashed = []
  refusal = undefined
  const bundled = { name: 'lookalike-clip-v1', dir: writeModel(join(root, 'bundled'), 'bundled') }
  const start = async () => ({ memoryBytes: 123_000_000 })
  shelf = createModelShelf({ dataDir, bundled, inspect, prover, start })
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const fail = (work: Promise<unknown>): Promise<OperatorError> =>
  work.then(
    () => {
      throw new Error('It was accepted')
    },
    (error) => {
      expect(error).toBeInstanceOf(OperatorError)
      return error as OperatorError
    },
  )

const shelved = (): string[] =>
  existsSync(join(dataDir, 'models')) ? readdirSync(join(dataDir, 'models')) : []

test('a folder is copied with the files that are read, gets what it lacks, and is named after the folder', async () => {
  writeFileSync(join(source, 'README.md'), 'not read')
  const steps: AddStep[] = []
  const { model, isNew, warnings } = await shelf.add(source, {
    ...options(),
    tell: (step) => steps.push(step),
  })
  expect(isNew).toBe(true)
  expect(warnings).toEqual(['The model is slow.'])
  expect(model).toMatchObject({ name: 'my-model', dimension: 8, family: 'clip', isBundled: false })
  expect(model.problem).toBeUndefined()
  expect(readdirSync(model.dir).sort()).toEqual([
    ...['calibration.json', 'config.json', 'golden.json', 'onnx', 'preprocessor_config.json', 'shelf.json'],
    ...['tokenizer.json', 'tokenizer_config.json'],
  ])
  expect(JSON.parse(readFileSync(join(model.dir, 'calibration.json'), 'utf8'))).toEqual(CALIBRATION)
  expect(lstatSync(join(model.dir, 'onnx/text_model_quantized.onnx')).mode & 0o777).toBe(0o600)
  expect(new Set(steps.map(({ step }) => step))).toEqual(new Set(['copy', 'load']))
  expect(shelved()).toEqual(['my-model'])
  expect((await shelf.list()).map(({ name }) => name)).toEqual(['lookalike-clip-v1', 'my-model'])
})

test('a model that is here already is fitted anew where that is asked for and nothing uses it', async () => {
  const { model } = await shelf.add(source, options())
  const path = join(model.dir, 'calibration.json')
  writeFileSync(path, '{}')
  const demandUnused = (name: string) => {
    throw new Error(`${name} is in use`)
  }
  await expect(shelf.add(source, options({ refit: true, demandUnused }))).rejects.toThrow(
    'my-model is in use',
  )
  expect(readFileSync(path, 'utf8')).toBe('{}')
  expect(await shelf.add(source, options({ refit: true }))).toMatchObject({ isNew: false, isRefitted: true })
  expect(asked.at(-1)).toEqual({ dir: model.dir, makes: 'all' })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(CALIBRATION)
  expect((await shelf.find('my-model'))?.problem).toBeUndefined()
  await expect(shelf.add(join(root, 'bundled'), options({ refit: true }))).rejects.toThrow(
    'part of the program',
  )
})

test('files that are here already are said to be, under whichever name', async () => {
  const { model } = await shelf.add(source, options())
  const again = await shelf.add(source, options({ name: 'other' }))
  expect(again).toEqual({ model, isNew: false, isRefitted: false, warnings: [] })
  expect(await shelf.add(join(root, 'bundled'), options())).toMatchObject({
    ...{ isNew: false, model: { name: 'lookalike-clip-v1', isBundled: true } },
  })
  expect(shelved()).toEqual(['my-model'])
})

test('another model does not take a name that is taken, and none takes the name of the bundled one', async () => {
  await shelf.add(source, options())
  const other = writeModel(join(root, 'other'), 'others')
  const taken = await fail(shelf.add(other, options({ name: 'my-model' })))
  expect(taken.message).toBe(
    'There is another model my-model here: name this one with --name, or remove the other with "lookalike model remove my-model".',
  )
  for (const name of [
    'lookalike-clip-v1',
    '../up',
    '.hidden',
    '',
    'Capitals',
    'a'.repeat(65),
    'a/b',
    'a--b',
    'a-',
    'a.git',
  ])
    expect((await fail(shelf.add(other, options({ name })))).exitCode).toBe(2)
  expect(shelved()).toEqual(['my-model'])
  expect(nameAfter('CLIP ViT-B/32 (int8)')).toBe('clip-vit-b-32-int8')
})

test('only --refit makes anew what a folder carries', async () => {
  await shelf.add(source, options())
  await shelf.add(writeModel(join(root, 'b'), 'b'), options({ refit: true }))
  expect(asked.map(({ makes }) => makes)).toEqual(['missing', 'all'])
})

test.each([
  ['config.json', 'config.json is missing'],
  ['onnx/vision_model_quantized.onnx', 'onnx/vision_model_quantized.onnx is missing'],
])('a folder without %s is refused, and nothing is left of it', async (path, said) => {
  rmSync(join(source, path))
  expect((await fail(shelf.add(source, options()))).message).toContain(said)
  expect(shelved()).toEqual([])
})

test('links and what is no plain file are refused wherever they stand, before anything is read', async () => {
  const pipe = join(root, 'pipe')
  Bun.spawnSync(['mkfifo', pipe])
  const secret = join(root, 'secret')
  writeFileSync(secret, 'root:x')
  rmSync(join(source, 'tokenizer.json'))
  symlinkSync(secret, join(source, 'tokenizer.json'))
  expect((await fail(shelf.add(source, options()))).message).toContain('tokenizer.json is a link')
  const other = writeModel(join(root, 'other'))
  renameSync(join(other, 'onnx'), join(root, 'elsewhere'))
  symlinkSync(join(root, 'elsewhere'), join(other, 'onnx'))
  expect((await fail(shelf.add(other, options()))).message).toContain('onnx is a link')
  // Whoever reads such a thing waits for ever, or never comes to its end.
  for (const endless of ['/dev/zero', pipe]) {
    rmSync(join(source, 'tokenizer.json'), { force: true })
    rmSync(join(source, 'config.json'), { force: true })
    symlinkSync(endless, join(source, 'config.json'))
    expect((await fail(shelf.add(source, options()))).message).toContain(
      'config.json is a link or no plain file',
    )
  }
  expect(shelved()).toEqual([])
})

test('a file, a folder that is not there, and one in the folder of the models say what to name instead', async () => {
  expect((await fail(shelf.add(join(source, 'config.json'), options()))).message).toContain('is a file')
  expect((await fail(shelf.add(join(root, 'nowhere'), options()))).message).toContain('There is no folder')
  const inside = writeModel(join(dataDir, 'models/by-hand'), 'by hand')
  expect((await fail(shelf.add(inside, options()))).message).toContain('move it to another place')
  const [, byHand] = await shelf.list()
  expect(byHand).toMatchObject({ name: 'by-hand', hash: '' })
  expect(byHand?.problem).toContain('was not put here by "lookalike model add"')
  expect(existsSync(join(inside, 'config.json'))).toBe(true)
})

test('a model that fails its trial, or is too large for the disk, leaves nothing', async () => {
  refusal = new OperatorError('The model cannot be used: NaN.')
  expect((await fail(shelf.add(source, options()))).message).toBe('The model cannot be used: NaN.')
  expect(shelved()).toEqual([])
  refusal = Object.assign(new Error('write'), { code: 'ENOSPC' })
  expect((await fail(shelf.add(source, options()))).message).toContain('is full')
  expect(shelved()).toEqual([])
  // Sparse: it takes no room here, and would take all of it there.
  truncateSync(join(source, 'onnx/text_model_quantized.onnx'), 5_000_000_000)
  expect((await fail(shelf.add(source, options()))).message).toContain('at most 4000 MB are read')
  truncateSync(join(source, 'onnx/text_model_quantized.onnx'), 20)
  truncateSync(join(source, 'tokenizer.json'), 70_000_000)
  expect((await fail(shelf.add(source, options()))).message).toContain('tokenizer.json has 70 MB')
})

test('what a killed add has left is cleared at the next one, and two do not run at a time', async () => {
  const left = join(dataDir, 'models/.adding-999')
  writeModel(left)
  mkdirSync(join(dataDir, 'models/.removing-998'))
  expect((await shelf.list()).map(({ name }) => name)).toEqual(['lookalike-clip-v1'])
  const unlock = tryLockModels(dataDir)
  expect((await fail(shelf.add(source, options()))).message).toContain('wait until it has ended')
  unlock?.()
  await shelf.add(source, options())
  expect(shelved()).toEqual(['my-model'])
})

test('an add that is stopped ends with the reason of the stop, and leaves nothing', async () => {
  const stop = new AbortController()
  const adding = shelf.add(source, { tell: () => stop.abort(new Error('stopped')), signal: stop.signal })
  await expect(adding).rejects.toThrow('stopped')
  expect(shelved()).toEqual([])
})

test('a look at the shelf hashes only files whose size or time has changed, and notices those that differ', async () => {
  const { model } = await shelf.add(source, options())
  hashed = []
  expect((await shelf.find('my-model'))?.hash).toBe(model.hash)
  expect(hashed).toEqual([])
  const weights = join(model.dir, 'onnx/text_model_quantized.onnx')
  // The same bytes with another time, as after a copy of the data folder.
  utimesSync(weights, 1, 1)
  expect((await shelf.find('my-model'))?.problem).toBeUndefined()
  expect(hashed).toHaveLength(1)
  expect((await shelf.find('my-model'))?.problem).toBeUndefined()
  expect(hashed).toHaveLength(1)
  writeFileSync(weights, 'Weights of text')
  const changed =
    'The files of the model my-model have changed since it was added: remove it and add it again.'
  for (let n = 0; n < 3; n++)
    expect(await shelf.find('my-model')).toMatchObject({ hash: '', problem: changed })
  expect(hashed).toHaveLength(2)
  expect((await fail(shelf.check('my-model', options()))).message).toBe(changed)
  rmSync(weights)
  expect((await shelf.find('my-model'))?.problem).toContain('has lost onnx/text_model_quantized.onnx')
  await shelf.remove('my-model')
  expect(shelved()).toEqual([])
})

test('a check reads every byte, whatever the times say', async () => {
  const { model } = await shelf.add(source, options())
  const weights = join(model.dir, 'onnx/text_model_quantized.onnx')
  expect(await shelf.check('my-model', options())).toMatchObject({
    ...{ name: 'my-model', memoryBytes: 123_000_000, speed: { pictureMs: 20, textMs: 2 } },
  })
  writeFileSync(weights, 'Weights of text')
  // As if its time had been put back.
  const path = join(model.dir, 'shelf.json')
  const note = JSON.parse(readFileSync(path, 'utf8'))
  const file = note.files.find((one: { path: string }) => weights.endsWith(one.path))
  file.changed = String(lstatSync(weights, { bigint: true }).mtimeNs)
  writeFileSync(path, JSON.stringify(note))
  expect((await shelf.find('my-model'))?.problem).toBeUndefined()
  expect((await fail(shelf.check('my-model', options()))).message).toContain('have changed')
})

test('the bundled model and one that is not here cannot be removed', async () => {
  expect((await fail(shelf.remove('lookalike-clip-v1'))).message).toContain('is part of the program')
  expect((await fail(shelf.remove('../data'))).message).toBe(
    'There is no model "../data" here: there are lookalike-clip-v1.',
  )
})

test('a download beside the models is taken by second names, so that it needs no room twice', async () => {
  const models = join(dataDir, 'models')
  const download = writeModel(join(models, '.fetching-1'), 'fetched')
  const { model } = await shelf.add(download, options({ name: 'fetched' }))
  const inode = (path: string) => lstatSync(path).ino
  const path = 'onnx/text_model_quantized.onnx'
  expect(inode(join(model.dir, path))).toBe(inode(join(download, path)))
  expect(existsSync(join(download, 'calibration.json'))).toBe(false)
})

test('a file that changes while it is copied is refused', async () => {
  const big = join(source, 'onnx/text_model_quantized.onnx')
  writeFileSync(big, Buffer.alloc(3_000_000))
  mkdirSync(join(dataDir, 'models'))
  const copying = copyModel({
    ...{ source, root: join(dataDir, 'models'), work: join(dataDir, 'models/.adding-1') },
    inspect,
    signal: new AbortController().signal,
    tell: () => truncateSync(big, 3_000_001),
  })
  expect((await fail(copying)).message).toContain('changed while it was copied')
})
