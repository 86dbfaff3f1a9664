import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { openDatabase } from '../../src/platform/db/open.ts'
import { recordBar } from '../robustness/bars.ts'
import {
  type Install,
  newInstall,
  productForm,
  type Service,
  startService,
  until,
  untilReady,
} from '../robustness/service.ts'
import { builtExecutable } from './executable.ts'

const FLIPS = 500

let program: ReturnType<typeof builtExecutable>
let install: Install
let sound: string

beforeAll(async () => {
  program = builtExecutable()
  install = await newInstall()
  const { service } = await start()
  sound = await vectorBy(service, 'sound')
  expect(await service.stop()).toBe(0)
}, 60_000)
afterAll(() => {
  install.remove()
  program.remove()
})

/** Starts the executable on its own unpacked parts. */
async function start() {
  const log: string[] = []
  const service = await startService(install, {
    program: [program.path],
    settings: { LOOKALIKE_UNPACK_DIR: '' },
    onLog: (line) => void log.push(line),
  })
  return { service, log }
}

const unpacked = (): string[] =>
  readdirSync(join(install.dataDir, 'unpacked'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** Flips bytes all over a file, in place; neither size nor time tells of it. */
function flip(path: string): void {
  const { size, atime, mtime } = statSync(path)
  const file = openSync(path, 'r+')
  const byte = new Uint8Array(1)
  for (let n = 0; n < Math.min(FLIPS, size); n++) {
    const at = Math.floor((n * size) / Math.min(FLIPS, size))
    readSync(file, byte, 0, 1, at)
    writeSync(
      file,
      byte.map((value) => value ^ 0x55),
      0,
      1,
      at,
    )
  }
  closeSync(file)
  utimesSync(path, atime, mtime)
}

const call = (service: Service, method: string, path: string, body?: FormData | string) =>
  fetch(service.address + path, {
    method,
    headers: {
      authorization: `Bearer ${install.token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })

/** What the service makes of a picture and of words: the vector that it keeps, and the cosine of a search by words. */
async function vectorBy(service: Service, id: string): Promise<string> {
  expect((await call(service, 'POST', '/v1/products', await productForm(id, 1))).status).toBe(201)
  const db = openDatabase(install.dataDir)
  const [vector] = db.prepare('SELECT vec_to_json(embedding) FROM vectors_1').pluck().all()
  db.close()
  const query = JSON.stringify({ query: 'a red mug', explain: true, analytics: false })
  const found = (await (await call(service, 'POST', '/v1/search/text', query)).json()) as {
    results: { explain: { cosine: number } }[]
  }
  expect((await call(service, 'DELETE', `/v1/products/${id}`)).status).toBe(200)
  return JSON.stringify([vector, found.results[0]?.explain.cosine])
}

describe('flipped bytes in what was unpacked', () => {
  test('the parts are a database, two libraries for pictures, a model and its runtime', () => {
    const names = unpacked().map((path) => basename(path))
    for (const name of [
      'database.node',
      'vec0.so',
      'onnxruntime_binding.node',
      'vision_model_quantized.onnx',
    ])
      expect(names).toContain(name)
    expect(names.filter((name) => /^libvips|^libonnxruntime|^sharp/.test(name))).toHaveLength(3)
  })

  test('in each large file in turn, and in all others together: said, put right, and the vectors are the same', async () => {
    const isLarge = (path: string) => statSync(path).size > 100_000
    const rounds = [
      ...unpacked()
        .filter(isLarge)
        .map((path) => [path]),
      unpacked().filter((path) => !isLarge(path)),
    ]
    for (const paths of rounds) {
      for (const path of paths) flip(path)
      const { service, log } = await start()
      const served = await vectorBy(service, `round-${rounds.indexOf(paths)}`)
      expect(await service.stop()).toBe(0)
      for (const path of paths)
        expect(log).toContain(`lookalike: ${path} was damaged and has been unpacked again`)
      // Shown with the files that it is about.
      expect([paths, served]).toEqual([paths, sound])
    }
    const measured = 'in each unpacked part: said, put right, the same vectors'
    recordBar({ bar: 39, part: 'flipped bytes', on: 'program', n: rounds.length, measured, isMet: true })
  }, 300_000)

  test('while the service runs: a process for pictures that starts anew has sound weights', async () => {
    const { service, log } = await start()
    for (const path of unpacked().filter((path) => path.endsWith('.onnx'))) flip(path)
    for (const pid of childrenOf(service.pid)) process.kill(pid, 'SIGKILL')
    await until(
      'both weights were put right',
      () => log.filter((line) => line.includes('was damaged')).length >= 2,
    )
    await untilReady(service)
    expect(await vectorBy(service, 'restarted')).toBe(sound)
    expect(await service.stop()).toBe(0)
  }, 60_000)

  test('all of it deleted: it is made again', async () => {
    rmSync(join(install.dataDir, 'unpacked'), { recursive: true })
    const { service, log } = await start()
    expect(await vectorBy(service, 'again')).toBe(sound)
    expect(await service.stop()).toBe(0)
    expect(log).toEqual([])
  }, 60_000)
})

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
