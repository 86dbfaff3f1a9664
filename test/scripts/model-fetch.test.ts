import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fetchModel } from '../../scripts/model/fetch.ts'
import { FetchModelError } from '../../scripts/model/hub.ts'

const SCRIPT = resolve(import.meta.dir, '../../scripts/model/fetch.ts')
const COMMIT = 'a'.repeat(40)
const PINNED_MODEL = 'Xenova/clip-vit-base-patch32'
const PINNED_COMMIT = 'd15189d7028b43f1d3e65039190477f6af591c2a'
const MODEL = 'acme/tiny-clip'
const TEXT = 'onnx/text_model_quantized.onnx'
const VISION = 'onnx/vision_model_quantized.onnx'

/** A small made model: the bytes are no real weights, but they hash like any others. */
const tinyModel = (): Record<string, string> => ({
  'config.json': JSON.stringify({ model_type: 'clip', projection_dim: 8 }),
  'preprocessor_config.json': '{"image_processor_type":"CLIPImageProcessor"}',
  'tokenizer_config.json': '{"tokenizer_class":"CLIPTokenizer"}',
  'special_tokens_map.json': '{"bos_token":"<s>"}',
  'tokenizer.json': '{"version":"1.0"}',
  [TEXT]: 'text weights '.repeat(1000),
  [VISION]: 'vision weights '.repeat(1000),
  'onnx/text_model.onnx': 'full precision, not wanted',
  'README.md': '# not wanted',
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const gitSha1 = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

const treeEntry = (path: string, text: string) => ({
  type: 'file',
  path,
  size: Buffer.byteLength(text),
  oid: gitSha1(path.endsWith('.onnx') ? 'the pointer file' : text),
  ...(path.endsWith('.onnx') && {
    lfs: { oid: sha256(text), size: Buffer.byteLength(text), pointerSize: 133 },
  }),
})

type Answer = (request: Request) => Response | undefined

/** Speaks the hub's endpoints; `answer` comes first, so that a test can break one of them. */
const startHub = (
  files: Record<string, string>,
  answer: Answer = () => undefined,
  model = MODEL,
  commit = COMMIT,
) => {
  const asked: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, origin } = new URL(request.url)
      asked.push(pathname)
      const special = answer(request)
      if (special !== undefined) return special
      if (pathname === `/api/models/${model}/revision/main`) return Response.json({ id: model, sha: commit })
      if (pathname === `/api/models/${model}/tree/${commit}`) {
        const folder = { type: 'directory', path: 'onnx', size: 0, oid: '0'.repeat(40) }
        return Response.json([folder, ...Object.entries(files).map(([path, text]) => treeEntry(path, text))])
      }
      const path = pathname.replace(`/${model}/resolve/${commit}/`, '')
      const text = files[path]
      if (text !== undefined && path.endsWith('.onnx')) return Response.redirect(`${origin}/cdn/${path}`)
      const stored = files[pathname.replace('/cdn/', '')]
      if (text !== undefined) return new Response(text)
      if (pathname.startsWith('/cdn/') && stored !== undefined) return new Response(stored)
      return new Response('Entry not found', { status: 404 })
    },
  })
  servers.push(server)
  return {
    endpoint: server.url.origin,
    asked,
    downloads: () => asked.filter((path) => path.includes('/resolve/')),
  }
}

/** The command as a person runs it. */
const run = async (...args: string[]) => {
  const child = Bun.spawn(['bun', SCRIPT, ...args], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { stdout, stderr, code }
}

const runOn = (hub: { endpoint: string }, ...args: string[]) =>
  run('--endpoint', hub.endpoint, '--model', MODEL, '--out', 'model', ...args)

let folder = ''
let servers: { stop(force: boolean): unknown }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fetch-model-'))
})

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop(true)))
  servers = []
  rmSync(folder, { recursive: true, force: true })
})

describe('fetching a model: a model that fits', () => {
  test('the folder holds exactly the seven files, byte for byte, and the next steps are told', async () => {
    const files = tinyModel()
    const { code, stdout } = await runOn(startHub(files))
    expect(code).toBe(0)
    const found = readdirSync(join(folder, 'model'), { recursive: true, withFileTypes: true })
    const names = found.filter((entry) => entry.isFile()).map((entry) => entry.name)
    expect(names.length).toBe(7)
    for (const path of Object.keys(files).filter((path) => !/README|text_model\.onnx/.test(path))) {
      expect(readFileSync(join(folder, 'model', path), 'utf8')).toBe(files[path] as string)
    }
    expect(readdirSync(folder)).toEqual(['model'])
    expect(stdout).toContain(`main is commit ${COMMIT}`)
    expect(stdout).toContain(`bun scripts/model/golden.ts ${realpathSync(join(folder, 'model'))}`)
    expect(stdout).toContain(`bun scripts/model/calibrate.ts ${realpathSync(join(folder, 'model'))}`)
  })

  test('without --out the folder is models/<name>', async () => {
    const { code } = await run('--endpoint', startHub(tinyModel()).endpoint, '--model', MODEL)
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'models/tiny-clip', VISION))).toBe(true)
  })

  test('a commit is used as it is, without asking what it names', async () => {
    const hub = startHub(tinyModel())
    const { code } = await runOn(hub, '--revision', COMMIT)
    expect(code).toBe(0)
    expect(hub.asked.filter((path) => path.includes('/revision/'))).toEqual([])
  })

  test('a file list in several pages is read to its end', async () => {
    const files = tinyModel()
    const entries = Object.entries(files).map(([path, text]) => treeEntry(path, text))
    const hub = startHub(files, (request) => {
      const url = new URL(request.url)
      if (!url.pathname.includes('/tree/')) return undefined
      const page = Number(url.searchParams.get('cursor') ?? 0)
      const isLast = page === entries.length - 1
      url.searchParams.set('cursor', String(page + 1))
      return Response.json([entries[page]], isLast ? {} : { headers: { link: `<${url.href}>; rel="next"` } })
    })
    expect((await runOn(hub)).code).toBe(0)
  })

  test('special_tokens_map.json may be absent', async () => {
    const { 'special_tokens_map.json': _, ...files } = tinyModel()
    expect((await runOn(startHub(files))).code).toBe(0)
  })

  test('projection_dim is set when only the towers name it, and a second run is content', async () => {
    const towers = { text_config: { projection_dim: 8 }, vision_config: { projection_dim: 8 } }
    const hub = startHub({ ...tinyModel(), 'config.json': JSON.stringify({ model_type: 'clip', ...towers }) })
    expect((await runOn(hub)).code).toBe(0)
    const config = JSON.parse(readFileSync(join(folder, 'model/config.json'), 'utf8'))
    expect(config).toEqual({ model_type: 'clip', ...towers, projection_dim: 8 })
    expect((await runOn(hub)).code).toBe(0)
  })

  test('a finished folder is not downloaded again and keeps our own files', async () => {
    const hub = startHub(tinyModel())
    await runOn(hub)
    writeFileSync(join(folder, 'model/calibration.json'), '{}')
    const before = hub.downloads().length
    const { code, stdout } = await runOn(hub)
    expect(code).toBe(0)
    expect(stdout).toContain('Nothing to do')
    expect(hub.downloads().length).toBe(before)
    expect(existsSync(join(folder, 'model/calibration.json'))).toBe(true)
  })
})

describe('fetching a model: an interrupted download', () => {
  test('leaves no model folder, and the next run fetches only what is missing', async () => {
    let isBroken = true
    const hub = startHub(tinyModel(), (request) =>
      isBroken && request.url.endsWith(`/cdn/${VISION}`) ? new Response('busy', { status: 503 }) : undefined,
    )
    const first = await runOn(hub)
    expect(first.code).toBe(1)
    expect(first.stderr).toContain('HTTP 503')
    expect(existsSync(join(folder, 'model'))).toBe(false)
    isBroken = false
    const before = hub.downloads().length
    expect((await runOn(hub)).code).toBe(0)
    expect(hub.downloads().slice(before)).toEqual([`/${MODEL}/resolve/${COMMIT}/${VISION}`])
    expect(readdirSync(folder)).toEqual(['model'])
  })

  test('a half-written file of an earlier run is never taken for a whole one', async () => {
    mkdirSync(join(folder, 'model.partial/onnx'), { recursive: true })
    writeFileSync(join(folder, 'model.partial', VISION), 'vision weights ')
    writeFileSync(join(folder, 'model.partial', `${TEXT}.part`), 'text')
    const files = tinyModel()
    expect((await runOn(startHub(files))).code).toBe(0)
    expect(readFileSync(join(folder, 'model', VISION), 'utf8')).toBe(files[VISION] as string)
    expect(existsSync(join(folder, 'model', `${TEXT}.part`))).toBe(false)
  })

  test('a file that only an earlier model had is not taken over', async () => {
    const { 'special_tokens_map.json': _, ...files } = tinyModel()
    mkdirSync(join(folder, 'model.partial'))
    writeFileSync(join(folder, 'model.partial/special_tokens_map.json'), '{}')
    expect((await runOn(startHub(files))).code).toBe(0)
    expect(existsSync(join(folder, 'model/special_tokens_map.json'))).toBe(false)
  })

  test('a server that falls silent is given up', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.endsWith('/tokenizer.json')
        ? new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }))
        : undefined,
    )
    const options = {
      model: MODEL,
      revision: COMMIT,
      out: join(folder, 'model'),
      endpoint: hub.endpoint,
      stallMs: 200,
    }
    const failure = fetchModel(options, () => {})
    await expect(failure).rejects.toThrow(FetchModelError)
    await expect(failure).rejects.toThrow('No answer for 0.2 s')
  })
})

describe('fetching a model: what is refused with exit code 1', () => {
  const refused = async (hub: { endpoint: string }, message: string, ...args: string[]) => {
    const { code, stderr } = await runOn(hub, ...args)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
    expect(code).toBe(1)
    expect(existsSync(join(folder, 'model'))).toBe(false)
  }

  test('a model that the hub does not know', async () => {
    await refused(startHub({}, undefined, 'someone/else'), 'no such model, revision or file')
  })

  test('a private model', async () => {
    const hub = startHub(tinyModel(), () => new Response('Invalid username or password.', { status: 401 }))
    await refused(hub, 'no such public model')
  })

  test('a file that is listed but gone', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/resolve/') ? new Response('', { status: 404 }) : undefined,
    )
    await refused(hub, 'HTTP 404')
  })

  test.each([
    ['in LFS, by its SHA-256', VISION, 'onnx', 'sha256'],
    ['in git, by its blob SHA-1', 'tokenizer.json', 'tokenizer.json', 'git-sha1'],
  ])('a changed file %s', async (_, path, ending, algorithm) => {
    const files = tinyModel()
    const forged = (files[path] as string).replace(/./, 'X')
    const hub = startHub(files, (request) =>
      new URL(request.url).pathname.endsWith(`/${path}`) &&
      !(ending === 'onnx' && request.url.includes('/resolve/'))
        ? new Response(forged)
        : undefined,
    )
    await refused(hub, `${path} is not the expected file (${algorithm} `)
    expect(existsSync(join(folder, 'model.partial', path))).toBe(false)
  })

  test('a file that is shorter than listed', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/cdn/') ? new Response('short') : undefined,
    )
    await refused(hub, `${TEXT} is not the expected file`)
  })

  test('a file that goes on past its listed length', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/cdn/') ? new Response('x'.repeat(100_000)) : undefined,
    )
    await refused(hub, 'Longer than')
  })

  test('a listed size past the limit, before anything is downloaded', async () => {
    const files = tinyModel()
    const hub = startHub(files, (request) => {
      if (!request.url.includes('/tree/')) return undefined
      const entries = Object.entries(files).map(([path, text]) => treeEntry(path, text))
      return Response.json(entries.map((entry) => (entry.path === VISION ? { ...entry, size: 3e9 } : entry)))
    })
    await refused(hub, `${VISION} is too large`)
    expect(hub.downloads()).toEqual([])
  })

  test.each([TEXT, VISION])('a model without %s, before anything is downloaded', async (path) => {
    const { [path]: _, ...files } = tinyModel()
    const hub = startHub(files)
    await refused(hub, `${MODEL} has no ${path} (needs an 8-bit transformers.js export`)
    expect(hub.downloads()).toEqual([])
  })

  test('another kind of model, before its weights are downloaded', async () => {
    const hub = startHub({ ...tinyModel(), 'config.json': '{"model_type":"siglip"}' })
    await refused(hub, 'model_type "siglip"')
    expect(hub.downloads()).toEqual([`/${MODEL}/resolve/${COMMIT}/config.json`])
  })

  test.each([
    ['is no JSON', '<html>', 'config.json is not JSON'],
    ['is no object', '[]', 'model_type undefined'],
    ['has no projection_dim', '{"model_type":"clip"}', 'no projection_dim'],
    [
      'has towers of different length',
      '{"model_type":"clip","text_config":{"projection_dim":8},"vision_config":{"projection_dim":9}}',
      'no projection_dim, and its towers do not give the same one',
    ],
  ])('a config.json that %s', async (_, config, message) => {
    await refused(startHub({ ...tinyModel(), 'config.json': config }), message)
  })

  test.each([
    ['is no JSON', '<html>', 'Not JSON'],
    ['names no commit', '{"sha":"../../etc"}', 'No commit at'],
  ])('a revision answer that %s', async (_, body, message) => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/revision/') ? new Response(body) : undefined,
    )
    await refused(hub, message)
  })

  test('a file list that is none', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/tree/') ? Response.json({ error: 'no' }) : undefined,
    )
    await refused(hub, 'No file list')
  })

  test('a file list without end', async () => {
    const hub = startHub(tinyModel(), (request) =>
      request.url.includes('/tree/')
        ? Response.json([], { headers: { link: `<${request.url}>; rel="next"` } })
        : undefined,
    )
    await refused(hub, 'too many files')
  })

  test('a hub that nobody answers for', async () => {
    const hub = startHub(tinyModel())
    await servers[0]?.stop(true)
    await refused(hub, 'Cannot download')
  })

  test('a target folder that contains something else, which stays unchanged', async () => {
    mkdirSync(join(folder, 'model'))
    writeFileSync(join(folder, 'model/mine.txt'), 'precious')
    const hub = startHub(tinyModel())
    const { code, stderr } = await runOn(hub)
    expect(code).toBe(1)
    expect(stderr).toContain('contains something else')
    expect(readFileSync(join(folder, 'model/mine.txt'), 'utf8')).toBe('precious')
    expect(hub.downloads()).toEqual([])
  })

  test('a target folder with a broken model in it is not blamed on the hub', async () => {
    mkdirSync(join(folder, 'model'))
    writeFileSync(join(folder, 'model/config.json'), '{"model_type":"siglip"}')
    const { code, stderr } = await runOn(startHub(tinyModel()))
    expect(code).toBe(1)
    expect(stderr).toContain('contains something else')
  })

  test('a default model whose files differ from the hashes in the script, though the hub vouches for them', async () => {
    const hub = startHub(tinyModel(), undefined, PINNED_MODEL, PINNED_COMMIT)
    const { code, stderr } = await run('--endpoint', hub.endpoint)
    expect(code).toBe(1)
    expect(stderr).toContain('config.json is not the expected file (sha256 ')
    expect(hub.asked).toContain(`/api/models/${PINNED_MODEL}/tree/${PINNED_COMMIT}`)
  })
})

describe('fetching a model: usage', () => {
  test('--help explains itself with an example and exits 0', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Example:\n  bun scripts/model/fetch.ts --model')
  })

  test.each([
    ['an unknown option', ['--modle', 'a/b']],
    ['a stray word', ['a/b']],
    ['a model that is no owner/name', ['--model', '../../etc']],
    ['a revision with a query in it', ['--model', MODEL, '--revision', 'main?x=1']],
    ['an endpoint that is no web address', ['--endpoint', 'file:///etc']],
    ['an empty --out', ['--out', '']],
  ])('%s exits 2 with the help text', async (_, args) => {
    const { code, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain('Usage: bun scripts/model/fetch.ts')
  })
})
