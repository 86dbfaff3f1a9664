import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordBar } from './bars.ts'
import { type Install, newInstall, productForm, type Service, smallPicture, startService } from './service.ts'

/** Where a process of ours may write: the data folder, unpacked parts, and what the kernel offers. */
const WRITABLE = /^\/(dev|proc)\//
const UNPACKED = join(tmpdir(), 'lookalike-robust-unpacked')

let install: Install
let folder: string
let service: Service | undefined

beforeEach(async () => {
  install = await newInstall()
  folder = mkdtempSync(join(tmpdir(), 'lookalike-trace-'))
})
afterEach(async () => {
  await service?.crash()
  service = undefined
  install.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** The main job: index a picture, find it by words and by picture. @returns the statuses. */
async function mainJob({ address }: Service): Promise<number[]> {
  const headers = { authorization: `Bearer ${install.token}` }
  const post = async (path: string, body: FormData | string) => {
    const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const answer = await fetch(address + path, { method: 'POST', headers: { ...headers, ...json }, body })
    await answer.text()
    return answer.status
  }
  const upload = new FormData()
  upload.set('image', await smallPicture(1))
  return [
    await post('/v1/products', await productForm('one', 1)),
    await post('/v1/search/text', '{"query":"red shoes"}'),
    await post('/v1/search', upload),
  ]
}

/** The processes that a service has started. */
const listChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** What the open files of a process are, by their paths. */
const listOpenFiles = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // It was closed meanwhile.
      return []
    }
  })

const isOurs = (path: string): boolean =>
  path.startsWith(install.dataDir) || path.startsWith(UNPACKED) || WRITABLE.test(path)

test.if(process.platform === 'linux')(
  'the model processes hold no files and sockets of their own',
  async () => {
    service = await startService(install)
    expect(await mainJob(service)).toEqual([201, 200, 200])
    const children = listChildren(service.pid)
    expect(children.length).toBeGreaterThanOrEqual(2)
    for (const child of children) {
      const strange = listOpenFiles(child).filter(
        (path) =>
          /mat-debug|onnxruntime\.db|deviceid|DeveloperTools/.test(path) || /^\/(tmp|root|home)\//.test(path),
      )
      expect(strange.filter((path) => !isOurs(path))).toEqual([])
      const environment = readFileSync(`/proc/${child}/environ`, 'utf8').split('\0')
      expect(environment).toContain('ORT_DISABLE_TELEMETRY=1')
      expect(environment.some((variable) => variable.startsWith('CI='))).toBeFalse()
    }
  },
)

/** What a trace shows of the world outside: addresses, look-ups, and files opened for writing. */
function tracesOf(text: string) {
  const lines = text.split('\n').filter((line) => !line.includes('ENOENT'))
  const found = {
    'look-ups': lines.filter(isLookUp),
    connections: lines.filter(isConnection),
    files: lines.filter(isForeignWrite),
  }
  const outside = lines.filter((line) => Object.values(found).some((some) => some.includes(line)))
  return { calls: lines.length, found, outside }
}

const isConnection = (line: string): boolean =>
  /\b(connect|sendto|sendmsg|sendmmsg|bind)\(/.test(line) &&
  /AF_INET6?|AF_UNIX/.test(line) &&
  !/inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/.test(line)

/** The files of a resolver; a look-up reads them before it sends anything. */
const isLookUp = (line: string): boolean =>
  /\bopen(at)?\([^"]*"\/etc\/(resolv\.conf|hosts|nsswitch\.conf|host\.conf|gai\.conf)"/.test(line)

function isForeignWrite(line: string): boolean {
  if (!/\b(openat|open|creat)\(/.test(line) || !/O_WRONLY|O_RDWR|O_CREAT/.test(line)) return false
  const path = /"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? ''
  return path.startsWith('/') && !isOurs(path) && !path.startsWith(folder)
}

const hasStrace = process.platform === 'linux' && Bun.which('strace') !== null

test.if(hasStrace).each(['1', '0'])(
  'a whole run with OFFLINE=%s looks nothing up, connects to nobody and writes nowhere else',
  async (offline) => {
    const trace = join(folder, 'trace')
    service = await startService(install, {
      // -D: the tracer stays beside the service, which gets our signals itself.
      wrap: ['strace', '-D', '-f', '-s', '200', '-e', 'trace=%network,open,openat,creat', '-o', trace],
      settings: { OFFLINE: offline },
    })
    expect(await mainJob(service)).toEqual([201, 200, 200])
    // Telemetry begins some seconds after the library was loaded.
    await Bun.sleep(5_000)
    expect(await service.stop()).toBe(0)
    service = undefined
    const { calls, found, outside } = tracesOf(readFileSync(trace, 'utf8'))
    for (const [part, some] of Object.entries(found)) {
      const measured = `OFFLINE=${offline}: ${some.length} beyond this machine and its folders, in ${calls} calls`
      recordBar({ bar: 35, part, on: 'program', n: 1, measured, isMet: some.length === 0 })
    }
    expect(calls).toBeGreaterThan(100)
    expect(outside).toEqual([])
  },
  120_000,
)

test('the trace is read for look-ups, connections and files elsewhere', () => {
  const seen = [
    'connect(5, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("10.0.0.2")}, 16) = 0',
    'sendto(5, "x", 1, 0, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2600::1", &sin6_addr)}, 28) = 1',
    'openat(AT_FDCWD, "/etc/resolv.conf", O_RDONLY|O_CLOEXEC) = 5',
    'openat(AT_FDCWD, "/tmp/mat-debug-77.log", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5',
    'openat(AT_FDCWD, "/root/.cache/Microsoft/DeveloperTools/.onnxruntime/deviceid", O_RDWR|O_CREAT, 0600) = 6',
  ]
  expect(tracesOf(seen.join('\n')).outside).toEqual(seen)
  const harmless = [
    'connect(5, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
    'openat(AT_FDCWD, "/usr/lib/libc.so.6", O_RDONLY|O_CLOEXEC) = 5',
    `openat(AT_FDCWD, "${install.dataDir}/lookalike.db", O_RDWR|O_CREAT, 0600) = 6`,
  ]
  expect(tracesOf(harmless.join('\n')).outside).toEqual([])
})
