import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ApiError } from '../../src/core/errors.ts'
import type { ChildEmbedder } from '../../src/platform/embedder/child-embedder.ts'
import type { EmbeddedPicture } from '../../src/platform/embedder/embedder.ts'
import { INDEX, startEmbedder } from '../platform/embedder/bundled.ts'
import { encodeJpeg } from '../platform/embedder/pictures.ts'
import { recordBar } from './bars.ts'
import { bombs, type Fate } from './bombs.ts'
import { mutate } from './mutation.ts'
import { readRepetitions, seededRandom } from './random.ts'
import { samplePictures } from './samples.ts'
import { PROGRAM, readMemory, UNPACK_DIR } from './service.ts'

const MUTANTS = readRepetitions('PICTURE_MUTANTS', 2_000)
const SEED = readRepetitions('PICTURE_SEED', 11)
const DIMENSION = 512
const IN_FLIGHT = 8
/** One picture of 50 megapixels and what decoding it takes, beside the model. */
const PEAK_MB = 700
const GROWTH_MB = 120

let embedder: ChildEmbedder
let log: string[]
let pids: ReturnType<ChildEmbedder['pids']>

beforeAll(async () => {
  // The decoder of the executable, where one is named: its libraries are not those of the sources.
  const started = startEmbedder({
    command: [...PROGRAM, 'embedder-process'],
    env: { LOOKALIKE_UNPACK_DIR: UNPACK_DIR },
  })
  embedder = started.embedder
  log = started.log
  expect(await embedder.settled()).toEqual({ state: 'ready' })
  pids = embedder.pids()
}, 60_000)
afterAll(() => embedder.close())

/** What became of a file; a vector has to be one, and a refusal one of the contract's. */
async function fateOf(bytes: Uint8Array): Promise<Fate | string> {
  try {
    return fault(await embedder.embedPicture(bytes, INDEX)) ?? 'vector'
  } catch (error) {
    if (!(error instanceof ApiError)) return `threw ${error}`
    const { reason } = { reason: '', ...error.extras.details }
    return /decoder had to be restarted/.test(error.message) ? `took the process down: ${reason}` : error.code
  }
}

function fault({ vector, facts }: EmbeddedPicture): string | undefined {
  const length = Math.hypot(...vector)
  if (vector.length !== DIMENSION || !(Math.abs(length - 1) < 1e-3)) return `a vector of length ${length}`
  const { width, height, phash, palette } = facts
  if (Math.min(width, height) < 32 || width * height > 50_000_000) return `a picture of ${width} x ${height}`
  const isWhole =
    /^[0-9a-f]{16}$/.test(phash) &&
    palette.every(({ hex, share }) => /^#[0-9a-f]{6}$/.test(hex) && share <= 1)
  return isWhole ? undefined : `strange facts: ${JSON.stringify(facts)}`
}

const REFUSALS: readonly string[] = [
  'image_unreadable',
  'image_unsupported_format',
  'image_too_small',
  'image_too_large',
]

/** Nothing died, nothing swelled, and a sound picture is still embedded. */
async function expectWellAfter(before: number): Promise<void> {
  expect(log.filter((line) => line.includes('ended'))).toEqual([])
  expect(embedder.pids()).toEqual(pids)
  expect(await fateOf(await encodeJpeg(200, 200))).toBe('vector')
  if (process.platform !== 'linux') return
  const { now, peak } = readMemory(pids.vision[0] ?? 0)
  expect(peak).toBeLessThan(PEAK_MB)
  expect(now - before).toBeLessThan(GROWTH_MB)
}

function memoryInWords(before: number): string {
  if (process.platform !== 'linux') return 'memory not seen'
  const { now, peak } = readMemory(pids.vision[0] ?? 0)
  return `memory ${before.toFixed(0)} MB before, ${now.toFixed(0)} after, ${peak.toFixed(0)} at most`
}

const memoryNow = () => (process.platform === 'linux' ? readMemory(pids.vision[0] ?? 0).now : 0)

test(`${MUTANTS} damaged pictures are embedded or refused, and the decoder lives`, async () => {
  const samples = [...(await samplePictures())]
  const files = samples.map(([, bytes]) => bytes)
  for (const [name, bytes] of samples) expect([name, await fateOf(bytes)]).toEqual([name, 'vector'])
  const before = memoryNow()
  const random = seededRandom(SEED)
  const counts: Record<string, number> = {}
  const wrong: string[] = []
  const mutants = (function* () {
    for (let n = 0; n < MUTANTS; n++) {
      const [name, bytes] = random.pick(samples)
      yield { n, name, ...mutate(bytes, random, files) }
    }
  })()
  const worker = async () => {
    for (const { n, name, faults, bytes } of mutants) {
      const fate = await fateOf(bytes)
      counts[fate] = (counts[fate] ?? 0) + 1
      if (fate !== 'vector' && !REFUSALS.includes(fate))
        wrong.push(`mutant ${n} of ${name} (${faults}): ${fate}`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  const tried = Object.values(counts).reduce((sum, n) => sum + n, 0)
  const fates = Object.entries(counts).map(([fate, n]) => `${n} ${fate}`)
  const measured = `${fates.join(', ')}; ${memoryInWords(before)}`
  recordBar({ bar: 14, part: 'mutants', on: 'program', n: tried, measured, isMet: wrong.length === 0 })
  expect(tried).toBe(MUTANTS)
  expect(wrong).toEqual([])
  // The mutations are worth something: they neither spare nor break everything.
  expect(counts['vector'] ?? 0).toBeGreaterThan(MUTANTS * 0.05)
  expect(counts['image_unreadable'] ?? 0).toBeGreaterThan(MUTANTS * 0.2)
  await expectWellAfter(before)
}, 7_200_000)

test('every bomb and every file of another kind meets the fate it deserves', async () => {
  const all = await bombs()
  expect(all.size).toBeGreaterThanOrEqual(40)
  const before = memoryNow()
  const wrong: string[] = []
  for (const [name, { bytes, fates }] of all) {
    const fate = await fateOf(bytes)
    if (!(fates as readonly string[]).includes(fate))
      wrong.push(`${name}: ${fate} instead of ${fates.join(' or ')}`)
  }
  const measured = `${wrong.length} met another fate than they deserve; ${memoryInWords(before)}`
  recordBar({ bar: 14, part: 'bombs', on: 'program', n: all.size, measured, isMet: wrong.length === 0 })
  expect(wrong).toEqual([])
  await expectWellAfter(before)
}, 300_000)
