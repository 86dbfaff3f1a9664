import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandomFolder } from '../../../../scripts/model/random-folder.ts'
import { openShelf } from '../../../../src/commands/service/open-shelf.ts'
import { OperatorError } from '../../../../src/core/operator-error.ts'
import { readGolden, readModelFiles } from '../../../../src/platform/embedder/model-files.ts'
import type { AddStep } from '../../../../src/platform/models/shelf.ts'

const MINUTE = 60_000
const root = mkdtempSync(join(tmpdir(), 'lookalike-add-'))
const dataDir = join(root, 'data')
const model = join(root, 'small')
const shelf = openShelf(dataDir)
const signal = new AbortController().signal

beforeAll(() => {
  mkdirSync(dataDir)
  makeRandomFolder({ model: 'clip-b32', folder: model, precisions: ['q8'], isSmall: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const shelved = () => (existsSync(join(dataDir, 'models')) ? readdirSync(join(dataDir, 'models')) : [])

/** A copy of the model with one file changed. */
function damage(path: string, change: (bytes: Buffer) => Buffer): string {
  const folder = mkdtempSync(join(root, 'damaged-'))
  cpSync(model, folder, { recursive: true })
  writeFileSync(join(folder, path), change(readFileSync(join(folder, path))))
  return folder
}

/** @returns what the refusal says. */
async function refusal(folder: string): Promise<string> {
  const error = await shelf.add(folder, { name: 'damaged', tell: () => {}, signal }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(OperatorError)
  expect(shelved()).toEqual([])
  return (error as Error).message
}

const TEXT = 'onnx/text_model_quantized.onnx'
const VISION = 'onnx/vision_model_quantized.onnx'

/** Replaces bytes by others of the same length, everywhere. */
const replace = (bytes: Buffer, from: string, to: string): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1')

test(
  'what does not work in the trial is refused in a sentence, and nothing of it stays',
  async () => {
    expect(await refusal(damage(TEXT, (bytes) => bytes.subarray(0, bytes.length >> 1)))).toContain(
      'copy it again',
    )
    expect(await refusal(damage(TEXT, (bytes) => replace(bytes, 'Softmax', 'Sofdmax')))).toContain(
      'operator Sofdmax',
    )
    expect(await refusal(damage(VISION, breakNumbers))).toContain('without a direction')
    const foreign = (bytes: Buffer): Buffer => {
      const file = JSON.parse(bytes.toString())
      for (const [token, id] of Object.entries<number>(file.model.vocab))
        file.model.vocab[token] = id + 1_000_000
      return Buffer.from(JSON.stringify(file))
    }
    expect(await refusal(damage('tokenizer.json', foreign))).toMatch(/tokenizer/)
  },
  3 * MINUTE,
)

/** Makes NaN of the number that normalisation adds, which reaches every vector. */
function breakNumbers(bytes: Buffer): Buffer {
  const attribute = Buffer.from('epsilon\x15')
  const broken = Buffer.from(bytes)
  let places = 0
  for (let at = broken.indexOf(attribute); at >= 0; at = broken.indexOf(attribute, at + 1)) {
    broken.writeFloatLE(Number.NaN, at + attribute.length)
    places++
  }
  expect(places).toBeGreaterThan(0)
  return broken
}

test(
  'a folder gets its golden vectors and its maps, with a warning for a model that knows nothing; a kill leaves nothing',
  async () => {
    const main = join(import.meta.dir, '../../../../src/commands/service/open-shelf.ts')
    const script = join(root, 'add.ts')
    writeFileSync(
      script,
      `import { openShelf } from ${JSON.stringify(main)}
      await openShelf(${JSON.stringify(dataDir)}).add(${JSON.stringify(model)}, {
        tell: ({ step, done }) => step === 'measure' && done > 20 && process.kill(process.pid, 'SIGKILL'),
        signal: new AbortController().signal,
      })`,
    )
    const killed = Bun.spawn([process.execPath, script], { stdout: 'ignore', stderr: 'inherit' })
    await killed.exited
    expect(killed.signalCode).toBe('SIGKILL')
    expect((await shelf.list()).map(({ name }) => name)).toEqual(['lookalike-clip-v1'])

    const steps: AddStep[] = []
    const { model: added, warnings } = await shelf.add(model, { tell: (step) => steps.push(step), signal })
    expect(added).toMatchObject({ name: 'small', family: 'clip', isBundled: false })
    expect(shelved()).toEqual(['small'])
    expect(new Set(steps.map(({ step }) => step))).toEqual(new Set(['copy', 'load', 'measure', 'fit']))
    expect(warnings.join()).toContain('does not connect words with pictures')
    expect(readGolden(added.dir)?.pictures).toHaveLength(12)
    const { calibration, warnings: missing } = readModelFiles(added.dir, added.hash)
    expect(missing).toEqual([])
    expect(calibration.image_image.slope).toBeGreaterThan(0)

    const report = await shelf.check('small', { tell: () => {}, signal })
    expect(report.accuracy.pictures).toBeGreaterThan(0.98)
    expect(report.speed.pictureMs).toBeGreaterThan(0)
    expect(report.memoryBytes).toBeGreaterThan(1e8)
    expect(report.languages).toEqual(['en'])
  },
  5 * MINUTE,
)
