import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCidrs } from '../../../src/core/networks.ts'
import { OperatorError } from '../../../src/core/operator-error.ts'
import {
  type DownloadOptions,
  downloadModel,
  type ModelOrder,
  workFolderOf,
} from '../../../src/platform/models/download.ts'
import { createModelEgress } from '../../../src/platform/models/hub-egress.ts'
import type { KnownModel } from '../../../src/platform/models/known.ts'
import { KNOWN_MODELS } from '../../../src/platform/models/known.ts'
import { chooseFiles } from '../../../src/platform/models/layout.ts'
import {
  type Answer,
  type Asked,
  COMMIT,
  listEntry,
  REPOSITORY,
  sendBeginning,
  sendPart,
  sha256,
  startHub,
  TEXT,
  tinyModel,
  VISION,
} from '../../support/hub-stub.ts'

const HUB_ORDER = { hub: `${REPOSITORY}@${COMMIT}` }
const KEPT = [
  ...Object.keys(tinyModel()).filter((path) => !/README|text_model\.onnx/.test(path)),
  'source.json',
].sort()

/** Nothing may appear in it but `models`. */
let outside = ''
let folder = ''
const hubs: { stop(): void }[] = []

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'model-download-'))
  folder = join(outside, 'models')
})

afterEach(() => {
  for (const hub of hubs.splice(0)) hub.stop()
  rmSync(outside, { recursive: true, force: true })
})

const start = async (answer?: Answer, files?: Record<string, string>) => {
  const hub = await startHub(files, answer)
  hubs.push(hub)
  return hub
}

/** Every name leads to this machine but `private.test`. */
const egress = createModelEgress({
  allowCidrs: parseCidrs('127.0.0.0/8'),
  isOffline: false,
  lookup: async (host) => [host === 'private.test' ? '10.1.2.3' : '127.0.0.1'],
})

const download = async (
  hub: { mirror: string } | undefined,
  more: Partial<DownloadOptions> = {},
  order: ModelOrder = HUB_ORDER,
) =>
  downloadModel(order, {
    mirror: hub?.mirror,
    isTrusted: true,
    folder: workFolderOf(folder, order),
    egress,
    isOffline: false,
    tell: () => {},
    signal: new AbortController().signal,
    ...more,
    limits: { retryMs: [1, 1, 1], ...more.limits },
  })

const listFiles = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort()

const partialOf = (order: ModelOrder = HUB_ORDER) => `${workFolderOf(folder, order)}.partial`

/** The tiny model under a name of our list, with its hashes. */
const known = (files = tinyModel()): KnownModel[] => [
  {
    ...(KNOWN_MODELS[0] as KnownModel),
    name: 'tiny-clip',
    repository: REPOSITORY,
    revision: COMMIT,
    files: KEPT.filter((path) => path !== 'source.json').map((path) => ({
      path,
      bytes: Buffer.byteLength(files[path] as string),
      sha256: sha256(files[path] as string),
    })),
  },
]

const isCdn = ({ path }: Asked, file: string) => path === `/cdn/${file}`

describe('a download of a model', () => {
  test('makes a folder of the wanted files, byte for byte, and writes down what they hash to', async () => {
    const files = tinyModel()
    const shown: string[] = []
    const told: { file: string; bytes: number; bytesTotal: number }[] = []
    const dir = await download(await start(), {
      show: (all) => shown.push(...all.map(({ path, hash }) => `${path} ${hash.algorithm}`)),
      tell: (progress) => told.push(progress),
    })
    expect(dir).toBe(join(folder, '.fetched-tiny-clip'))
    expect(listFiles(dir)).toEqual(KEPT)
    for (const path of KEPT.filter((one) => one !== 'source.json'))
      expect(readFileSync(join(dir, path), 'utf8')).toBe(files[path] as string)
    expect(shown).toContain('tokenizer.json git-sha1')
    expect(shown).toContain(`${VISION} sha256`)
    const note = JSON.parse(readFileSync(join(dir, 'source.json'), 'utf8'))
    expect(note).toMatchObject({ repository: REPOSITORY, revision: COMMIT })
    expect(
      note.files.map((file: { path: string; sha256: string }) => [file.path, file.sha256]),
    ).toContainEqual(['tokenizer.json', sha256(files['tokenizer.json'] as string)])
    const total = KEPT.reduce((sum, path) => sum + Buffer.byteLength(files[path] ?? ''), 0)
    expect(told.at(-1)).toEqual({ file: VISION, bytes: total, bytesTotal: total })
    expect(told.map(({ bytes }) => bytes)).toEqual(told.map(({ bytes }) => bytes).toSorted((a, b) => a - b))
  })

  test('takes a known model with the hashes of the program, and asks for no listing', async () => {
    const hub = await start()
    const dir = await download(hub, { isTrusted: false, known: known() }, { name: 'tiny-clip' })
    expect(listFiles(dir)).toEqual(KEPT)
    expect(hub.asked.filter(({ path }) => path.includes('/api/'))).toEqual([])
  })

  test('loads nothing again that is there already', async () => {
    const hub = await start()
    await download(hub)
    const before = hub.loads().length
    await download(hub)
    expect(hub.loads().length).toBe(before)
  })

  test('takes full precision where there are no 8-bit weights, with the data beside them', async () => {
    const { [VISION]: _, ...rest } = tinyModel()
    const files = { ...rest, 'onnx/vision_model.onnx': 'graph', 'onnx/vision_model.onnx_data': 'numbers' }
    const dir = await download(await start(undefined, files))
    expect(listFiles(dir)).toEqual(
      [
        ...KEPT.filter((path) => path !== VISION),
        'onnx/vision_model.onnx',
        'onnx/vision_model.onnx_data',
      ].sort(),
    )
  })

  test('reads a listing in several pages', async () => {
    const entries = Object.entries(tinyModel()).map(([path, text]) => listEntry(path, text))
    const hub = await start(({ path, host }, response) => {
      if (!path.includes('/tree/')) return false
      const page = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0)
      const next = `<http://${host}${path.split('&')[0]}&cursor=${page + 1}>; rel="next"`
      response
        .writeHead(200, page === entries.length - 1 ? {} : { Link: next })
        .end(JSON.stringify([entries[page]]))
      return true
    })
    expect(listFiles(await download(hub))).toEqual(KEPT)
  })
})

describe('an interrupted download', () => {
  const HALF = 400_000

  test('goes on by itself where the connection broke, with the mark of the version', async () => {
    const text = tinyModel()[VISION] as string
    let isBroken = true
    const hub = await start((asked, response) => {
      if (!isBroken || !isCdn(asked, VISION)) return false
      isBroken = false
      sendBeginning(text, HALF, response)
      return true
    })
    expect(listFiles(await download(hub))).toEqual(KEPT)
    const [first, second] = hub.asked.filter((asked) => isCdn(asked, VISION))
    expect(first?.range).toBeUndefined()
    expect(Number(second?.range?.match(/^bytes=(\d+)-$/)?.[1])).toBeGreaterThan(0)
    expect(second?.ifRange).toBe(`"${sha256(text).slice(0, 16)}"`)
  })

  test('is gone on with by a later run, also when the program was stopped in the middle', async () => {
    const stop = new AbortController()
    const hub = await start()
    const tell: DownloadOptions['tell'] = ({ file, bytes, bytesTotal }) => {
      if (file === VISION && bytes > bytesTotal / 2) stop.abort(new Error('stopped'))
    }
    await expect(download(hub, { signal: stop.signal, tell })).rejects.toThrow('stopped')
    expect(existsSync(workFolderOf(folder, HUB_ORDER))).toBe(false)
    const before = hub.loads().length
    expect(listFiles(await download(hub))).toEqual(KEPT)
    const again = hub.loads().slice(before)
    expect(again.length).toBeLessThanOrEqual(1)
    for (const load of again) expect(load).toMatch(/vision_model_quantized.onnx bytes=[1-9]/)
  })

  /** Leaves a part as a killed program does. */
  function leavePart(hub: { mirror: string }, part: string, etag?: string): void {
    const files = tinyModel()
    mkdirSync(join(partialOf(), 'onnx'), { recursive: true })
    const entries = KEPT.filter((path) => path !== 'source.json').map((path) =>
      listEntry(path, files[path] as string),
    )
    const order = [
      'config.json',
      'preprocessor_config.json',
      'tokenizer_config.json',
      'tokenizer.json',
      TEXT,
      VISION,
    ]
    const listed = order.map((path) => {
      const entry = entries.find((one) => one.path === path) as ReturnType<typeof listEntry>
      const hash = entry.lfs
        ? { algorithm: 'sha256', hex: entry.lfs.oid }
        : { algorithm: 'git-sha1', hex: entry.oid }
      return { path, bytes: entry.size, hash }
    })
    const note = { base: hub.mirror, repository: REPOSITORY, revision: COMMIT, files: listed }
    writeFileSync(join(partialOf(), 'source.json'), JSON.stringify(note))
    writeFileSync(join(partialOf(), `${VISION}.part`), part)
    if (etag !== undefined) writeFileSync(join(partialOf(), `${VISION}.part.etag`), etag)
  }

  const visionLoads = (hub: { loads(): string[] }) =>
    hub
      .loads()
      .filter((load) => load.startsWith(`/cdn/${VISION}`))
      .map((load) => load.split(' ')[1])

  test('starts a file again whose version has changed on the server', async () => {
    const hub = await start()
    leavePart(hub, 'another version', '"other"')
    expect(listFiles(await download(hub))).toEqual(KEPT)
    expect(visionLoads(hub)).toEqual(['bytes=15-'])
  })

  test('starts a file again whose part turns out to be spoilt at the end', async () => {
    const hub = await start()
    leavePart(hub, 'spoilt by a power cut')
    expect(listFiles(await download(hub))).toEqual(KEPT)
    expect(visionLoads(hub)).toEqual(['bytes=21-', ''])
  })

  test('starts a file again at a server that ignores ranges', async () => {
    const files = tinyModel()
    const hub = await start((asked, response) => {
      if (!isCdn(asked, VISION)) return false
      response.writeHead(200).end(files[VISION])
      return true
    })
    leavePart(hub, 'vision weights ')
    expect(listFiles(await download(hub))).toEqual(KEPT)
    expect(visionLoads(hub)).toEqual(['bytes=15-'])
  })

  test.each([
    ['answers another range', { 'Content-Range': 'bytes 0-9/750000' }],
    ['answers a range of another file', { 'Content-Range': 'bytes 15-24/25' }],
    ['names no range', {}],
  ])('starts a file again at a server that %s', async (_, headers) => {
    const hub = await start((asked, response) => {
      if (!isCdn(asked, VISION) || asked.range === undefined) return false
      response.writeHead(206, headers).end('0123456789')
      return true
    })
    leavePart(hub, 'vision weights ')
    expect(listFiles(await download(hub))).toEqual(KEPT)
    expect(visionLoads(hub)).toEqual(['bytes=15-', ''])
  })

  test('needs no request for a part that is whole, and throws one away that is too long', async () => {
    const whole = tinyModel()[VISION] as string
    const hub = await start()
    leavePart(hub, whole)
    await download(hub)
    expect(visionLoads(hub)).toEqual([])
    rmSync(workFolderOf(folder, HUB_ORDER), { recursive: true })
    leavePart(hub, `${whole}more`)
    await download(hub)
    expect(visionLoads(hub)).toEqual([''])
  })

  test('takes nothing of another commit', async () => {
    const hub = await start()
    leavePart(hub, 'vision weights ')
    const note = join(partialOf(), 'source.json')
    writeFileSync(note, readFileSync(note, 'utf8').replace(COMMIT, 'b'.repeat(40)))
    await download(hub)
    expect(visionLoads(hub)).toEqual([''])
  })

  test('is given up after some tries that bring nothing, and what is here is kept', async () => {
    const hub = await start((asked, response) => {
      if (!isCdn(asked, VISION)) return false
      if (asked.range === undefined) sendBeginning(tinyModel()[VISION] as string, HALF, response)
      else response.socket?.destroy()
      return true
    })
    await expect(download(hub)).rejects.toThrow('run the same command again; it goes on where it stopped')
    expect(readFileSync(join(partialOf(), `${VISION}.part`)).length).toBeGreaterThan(0)
    expect(visionLoads(hub).length).toBeLessThanOrEqual(5)
  })

  test('goes on at a server that was busy', async () => {
    let refusals = 2
    const hub = await start((asked, response) => {
      if (!isCdn(asked, VISION) || refusals-- <= 0) return false
      response.writeHead(503).end()
      return true
    })
    expect(listFiles(await download(hub))).toEqual(KEPT)
  })
})

describe('a server that does wrong', () => {
  /** The message, and what is left of the file. */
  async function fail(answer: Answer, more: Partial<DownloadOptions> = {}): Promise<string> {
    const hub = await start(answer)
    const error = await download(hub, more).then(
      () => new Error('it went well'),
      (failure) => failure as Error,
    )
    expect(error.name).toBe('OperatorError')
    expect(existsSync(workFolderOf(folder, HUB_ORDER))).toBe(false)
    return error.message
  }

  const instead =
    (answer: (response: ServerResponse, asked: Asked) => void, path = `/cdn/${VISION}`): Answer =>
    (asked, response) => {
      if (asked.path !== path) return false
      answer(response, asked)
      return true
    }

  test.each([
    ['in LFS, by its SHA-256', `/cdn/${VISION}`, VISION, 'sha256'],
    [
      'in git, by its blob SHA-1',
      `/${REPOSITORY}/resolve/${COMMIT}/tokenizer.json`,
      'tokenizer.json',
      'git-sha1',
    ],
  ])('is caught with another file of the same length %s', async (_, path, file, algorithm) => {
    const forged = (tinyModel()[file] as string).replace(/^./, 'X')
    const message = await fail(instead((response, asked) => sendPart(forged, asked, response), path))
    expect(message).toStartWith(`hub.test:`)
    expect(message).toContain(`sent another ${file} than expected (${algorithm} `)
    expect(existsSync(join(partialOf(), file))).toBe(false)
    expect(existsSync(join(partialOf(), `${file}.part`))).toBe(false)
  })

  test('is caught with a known model whose other files it vouches for', async () => {
    const hub = await start()
    const files = { ...tinyModel(), 'config.json': '{"model_type":"clip","projection_dim":9}' }
    const order = { name: 'tiny-clip' }
    await expect(download(hub, { known: known(files) }, order)).rejects.toThrow(
      'sent another config.json than expected',
    )
  })

  test.each([
    [
      'is announced with another length',
      (response: ServerResponse) => response.writeHead(200, { 'Content-Length': 5 }).end('short'),
    ],
    [
      'goes on past its length',
      (response: ServerResponse) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
    ],
  ])('is caught with a file that %s', async (_, answer) => {
    const message = await fail(instead(answer))
    expect(message).toContain(`another ${VISION} than expected`)
    expect(existsSync(join(partialOf(), `${VISION}.part`))).toBe(false)
  })

  test('is caught with a file that ends too early', async () => {
    const message = await fail(
      instead((response) => {
        response.writeHead(200, { 'Transfer-Encoding': 'chunked' })
        response.end('vision')
      }),
    )
    expect(message).toContain('The connection ended too early: run the same command again')
  })

  test('may not pack its answer', async () => {
    const message = await fail(
      instead((response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x')),
    )
    expect(message).toContain('The server packs')
  })

  test.each([
    ['a private address', 'http://10.0.0.1/x', 'not a public address'],
    ['a name of a private address', 'http://private.test/x', 'does not resolve to a public address'],
    ['the service of cloud credentials', 'http://169.254.169.254/latest', 'not a public address'],
    ['a file', 'file:///etc/passwd', 'must start with http'],
    ['a server without TLS', 'http://1.1.1.1/x', 'Only https is allowed'],
  ])('may not lead to %s', async (_, location, reason) => {
    const message = await fail(
      instead(
        (response) => response.writeHead(302, { Location: location }).end(),
        `/${REPOSITORY}/resolve/${COMMIT}/${VISION}`,
      ),
    )
    expect(message).toContain('nothing was loaded from there')
    expect(message).toMatch(new RegExp(`${reason}|redirects to one that is not allowed`))
  })

  test('may lead on through an address of several thousand characters, but not in circles', async () => {
    const long = `/signed?policy=${'p'.repeat(4_000)}`
    const hub = await start((asked, response) => {
      if (asked.path === `/cdn/${VISION}`) response.writeHead(302, { Location: long }).end()
      else if (asked.path === long) sendPart(tinyModel()[VISION] as string, asked, response)
      else return false
      return true
    })
    expect(listFiles(await download(hub))).toEqual(KEPT)
    const circle = instead(
      (response) => response.writeHead(302, { Location: `/cdn/${TEXT}` }).end(),
      `/cdn/${TEXT}`,
    )
    rmSync(workFolderOf(folder, HUB_ORDER), { recursive: true })
    expect(await fail(circle)).toContain('redirects more than 3 times')
  })

  test.each([
    [404, 'has no such file of acme/Tiny-CLIP at commit'],
    [401, 'has no public model acme/Tiny-CLIP, or wants a sign-in first'],
    [403, 'has no public model acme/Tiny-CLIP, or wants a sign-in first'],
    [500, 'run the same command again later'],
  ])('that answers %d is told in words', async (status, message) => {
    expect(await fail(instead((response) => response.writeHead(status).end()))).toContain(message)
    expect(await fail((_asked, response) => Boolean(response.writeHead(status).end()))).toContain(message)
  })

  test('cannot name files: one that climbs out is nobody’s', async () => {
    const files = { ...tinyModel(), '../../escaped': 'x', '/etc/escaped': 'x', 'onnx/../../escaped': 'x' }
    expect(listFiles(await download(await start(undefined, files)))).toEqual(KEPT)
    expect(listFiles(outside).filter((path) => path.endsWith('escaped'))).toEqual([])
  })

  test.each([
    ['is no JSON', '<html>', 'answers with no list of files'],
    ['is no list', '{"error":"no"}', 'answers with no list of files'],
    [
      'lacks a file',
      JSON.stringify([listEntry('config.json', '{}')]),
      'acme/Tiny-CLIP has no preprocessor_config.json',
    ],
    [
      'is of no export',
      JSON.stringify(KEPT.filter((path) => !path.startsWith('onnx')).map((path) => listEntry(path, 'x'))),
      'separate models for texts and pictures',
    ],
    [
      'has weights past all measure',
      JSON.stringify(KEPT.map((path) => ({ ...listEntry(path, 'x'), size: path === VISION ? 5e9 : 1 }))),
      'has 5000 MB according to the server',
    ],
    ['is endless in itself', ' '.repeat(2_000_000), 'The list of files is too long'],
  ])('may not send a listing that %s', async (_, body, message) => {
    const hub = (asked: Asked, response: ServerResponse) => {
      if (!asked.path.includes('/tree/')) return false
      response.writeHead(200).end(body)
      return true
    }
    expect(await fail(hub)).toContain(message)
  })

  test('may not send listings without end, nor lead to one of another server', async () => {
    const lead = (to: string) => (asked: Asked, response: ServerResponse) => {
      if (!asked.path.includes('/tree/')) return false
      response.writeHead(200, { Link: `<${to}>; rel="next"` }).end('[]')
      return true
    }
    expect(await fail(lead('?recursive=true'))).toContain('too many files')
    expect(await fail(lead('http://other.test/api'))).toContain('has no config.json')
  })

  test('that falls silent is left', async () => {
    const hub = instead((response) => response.writeHead(200).write('vision'))
    expect(await fail(hub, { limits: { pieceMs: 20 } })).toContain(
      'The server took too long to answer: run the same command',
    )
  })

  test('that never ends is left', async () => {
    const drip: Answer = instead((response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('v'), 5)
      response.on('close', () => clearInterval(timer))
    })
    const message = await fail(drip, { limits: { slowest: Number.MAX_VALUE, extraMs: 300 } })
    expect(message).toContain('is too slow: run the same command again')
  })
})

describe('an order', () => {
  const refused = async (order: ModelOrder, more: Partial<DownloadOptions> = {}) => {
    const given = { folder: join(folder, '.fetched-x'), ...more }
    const failure = await download({ mirror: 'http://hub.test:1' }, given, order).catch((error) => error)
    if (!(failure instanceof OperatorError)) throw new Error(`not refused: ${failure}`)
    return failure
  }

  test.each([
    ['acme/tiny', 'names no commit'],
    ['acme/tiny@main', 'names no commit'],
    [`acme/tiny@${'A'.repeat(40)}`, 'names no commit'],
    [`acme/tiny@${COMMIT.slice(0, 7)}`, 'names no commit'],
    [`../../etc@${COMMIT}`, 'names no model'],
    [`acme/..@${COMMIT}`, 'names no model'],
    [`acme/a/b@${COMMIT}`, 'names no model'],
    [`acme/tiny?x=1@${COMMIT}`, 'names no model'],
    [`tiny@${COMMIT}`, 'names no model'],
    [`a@b/c@${COMMIT}`, 'names no model'],
  ])('of %s is refused', async (hub, message) => {
    const error = await refused({ hub })
    expect(error.message).toContain(message)
    expect(error.exitCode).toBe(2)
  })

  test.each([
    ['a hub without trust', HUB_ORDER, { isTrusted: false }, 'add --trust if you trust it'],
    [
      'an unconfirmed model without trust',
      { name: 'marqo-fashionsiglip' },
      { isTrusted: false },
      'The hashes of marqo-fashionsiglip are unconfirmed',
    ],
    [
      'a model without a known export',
      { name: 'marqo-ecommerce-b' },
      {},
      'No export of marqo-ecommerce-b could be confirmed',
    ],
    ['an unknown name', { name: 'clip' }, {}, 'it knows clip-vit-base-patch32, '],
    ['a path as a name', { name: '../clip' }, {}, 'is no name of a model'],
    ['a mirror of another kind', HUB_ORDER, { mirror: 'ftp://x/y' }, '--url ftp://x/y cannot be used'],
    [
      'a mirror with a query',
      HUB_ORDER,
      { mirror: 'https://x.test/?a=1' },
      'leave out everything from the ?',
    ],
    ['a mirror with a password', HUB_ORDER, { mirror: 'https://a:b@x.test' }, 'must not contain a user name'],
  ] as const)('of %s is refused', async (_, order, more, message) => {
    const error = await refused(order, more)
    expect(error.message).toContain(message)
    expect(error.exitCode).toBe(2)
  })

  test('offline says which files from where into which folder, with lengths and hashes', async () => {
    const { message } = await refused(
      { name: 'clip-vit-base-patch32' },
      { mirror: undefined, isOffline: true },
    )
    expect(message.split('\n')[0]).toBe(
      'The command is offline (--offline, or OFFLINE=1), so bring the files by hand.',
    )
    expect(message).toContain(
      'Save these 6 files (155.9 MB) on a machine with a network, in a folder clip-vit-base-patch32',
    )
    expect(message).toContain(
      '    from    https://huggingface.co/Xenova/clip-vit-base-patch32/resolve/d15189d7028b43f1d3e65039190477f6af591c2a/onnx/text_model_quantized.onnx\n    bytes   64,504,507\n    sha256  73baab855d406190da9faa498cfedf65f15cf309f4cc7385b7b032e6d08e5c3a',
    )
    expect(message).toEndWith('run: lookalike model add /path/to/clip-vit-base-patch32')
  })

  test('without a network says the same, and in OFFLINE a mirror of an allowed network still works', async () => {
    const hub = await start()
    const { message } = await refused(HUB_ORDER, { mirror: `http://hub.test:1` })
    expect(message).toStartWith(
      'hub.test:1 cannot be reached (Connecting to hub.test failed), so bring the files by hand.',
    )
    expect(message).toContain(`/acme/Tiny-CLIP/resolve/${COMMIT}/config.json`)
    expect(listFiles(await download(hub, { isOffline: true }))).toEqual(KEPT)
  })

  test('waits for no other one', async () => {
    const hub = await start()
    const both = await Promise.allSettled([download(hub), download(hub)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({
        message: expect.stringContaining('Another lookalike is downloading'),
      }),
    })
  })

  test('that cannot write is told what to check', async () => {
    writeFileSync(join(outside, 'file'), '')
    const inFile = download(await start(), { folder: join(outside, 'file', 'x') })
    await expect(inFile).rejects.toThrow('cannot be written')
  })

  test('that the disk has no room for is refused before anything is loaded', async () => {
    const hub = await start()
    const [model] = known() as [KnownModel]
    const huge = { ...model, files: model.files.map((file) => ({ ...file, bytes: 1e15 })) }
    await expect(download(hub, { known: [huge] }, { name: 'tiny-clip' })).rejects.toThrow(
      'free some space first',
    )
    expect(hub.asked).toEqual([])
  })
})

test('an export of MobileCLIP gets its picture model in full precision, because 8 bits spoil it', async () => {
  const named = (one: string) => ({ path: one, bytes: 1, hash: { algorithm: 'sha256' as const, hex: '' } })
  const listed = new Map(
    [...Object.keys(tinyModel()), 'onnx/vision_model.onnx'].map((one) => [one, named(one)]),
  )
  const pick = (repository: string) => chooseFiles(listed, repository).map(({ path }) => path)
  expect(pick('Xenova/mobileclip_s1').slice(-2)).toEqual([TEXT, 'onnx/vision_model.onnx'])
  expect(pick('Xenova/clip').slice(-2)).toEqual([TEXT, VISION])
})
