import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryLockInstance } from '../../../src/platform/db/instance-lock.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { type Install, newInstall, startService } from '../../robustness/service.ts'
import { ENV, PROGRAM } from './program.ts'

let source: Install
let target: Install
let folder: string

beforeEach(async () => {
  source = await newInstall()
  target = await newInstall()
  folder = mkdtempSync(join(tmpdir(), 'lookalike-backups-'))
})
afterEach(() => {
  source.remove()
  target.remove()
  rmSync(folder, { recursive: true })
})

const run = (...args: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...args], { env: ENV, stdin: 'ignore' })
  return { code: exitCode, out: stdout.toString(), said: stderr.toString() }
}
const restore = (file: string, ...more: string[]) =>
  run('restore', file, '--data-dir', target.dataDir, ...more)
const storeOf = (dataDir: string): string =>
  (JSON.parse(run('store', 'list', '--data-dir', dataDir, '--json').out) as { store_id: string }[])
    .map(({ store_id }) => store_id)
    .join()

function listBackups(dataDir: string): unknown[] {
  const db = openDatabase(dataDir)
  try {
    return db.prepare('SELECT state FROM backups').all()
  } finally {
    db.close()
  }
}

/** Makes a backup of the source. @returns its file. */
function backUp(...more: string[]): string {
  const { code, out, said } = run('backup', '--data-dir', source.dataDir, '--to', folder, '--json', ...more)
  if (code !== 0) throw new Error(said)
  return (JSON.parse(out) as { file: string }).file
}

test('a backup of a running service replaces another install, whose state stays until it is undone', async () => {
  const service = await startService(source, {})
  const file = backUp()
  await service.stop()
  const before = storeOf(target.dataDir)

  const refused = restore(file)
  expect([refused.code, refused.said]).toEqual([2, expect.stringContaining('give --yes')])
  const trial = restore(file, '--dry-run')
  expect([trial.code, trial.out]).toEqual([0, expect.stringContaining('it is good. Nothing was changed.')])
  expect(storeOf(target.dataDir)).toBe(before)

  expect(restore(file, '--yes').code).toBe(0)
  expect(storeOf(target.dataDir)).toBe(source.storeId)
  // A service would take the row for a backup that failed.
  expect(listBackups(target.dataDir)).toEqual([])
  // The keys of the backup came with it: the service starts, and answers its store.
  const restored = await startService(target, {})
  const busy = restore(file, '--yes')
  expect([busy.code, busy.said]).toEqual([1, expect.stringContaining('Stop it, then restore')])
  await restored.stop()

  const unlock = tryLockInstance(target.dataDir)
  const early = run('store', 'import', file, '--data-dir', target.dataDir)
  unlock?.()
  expect([early.code, early.said]).toEqual([1, expect.stringContaining('Another command, such as a restore')])

  expect(run('restore', '--undo', '--yes', '--data-dir', target.dataDir).code).toBe(0)
  expect(storeOf(target.dataDir)).toBe(before)
}, 120_000)

test('a copy in another folder comes back with the key that was printed once', () => {
  const none = run('backup', '--data-dir', source.dataDir, '--backup-to', folder)
  expect([none.code, none.said]).toEqual([0, expect.stringContaining('lookalike backup key')])
  const { code, out } = run('backup', 'key', '--data-dir', source.dataDir)
  expect([code, out]).toEqual([0, expect.stringContaining('AGE-SECRET-KEY-1')])
  expect(run('backup', 'key', '--data-dir', source.dataDir).said).toContain('give --replace')
  const keyFile = join(folder, 'key.txt')
  writeFileSync(keyFile, out)
  const made = run('backup', '--data-dir', source.dataDir, '--backup-to', folder, '--json')
  const { copy } = JSON.parse(made.out) as { copy: { address: string } }

  expect(restore(copy.address, '--yes').said).toContain('give its key with --key-file')
  writeFileSync(`${copy.address}.cut`, readFileSync(copy.address).subarray(0, -1))
  const cut = restore(`${copy.address}.cut`, '--yes', '--key-file', keyFile)
  expect([cut.code, cut.said]).toEqual([1, expect.stringContaining('truncated or damaged')])
  expect(restore(copy.address, '--yes', '--key-file', keyFile).code).toBe(0)
  expect(storeOf(target.dataDir)).toBe(source.storeId)
  expect(existsSync(join(target.dataDir, 'restore-decrypted'))).toBeFalse()
}, 60_000)

test('a file that is damaged, cut short or something else changes nothing, and says so', () => {
  const file = backUp('--no-secrets')
  const whole = readFileSync(file)
  const before = storeOf(target.dataDir)
  const wrong = join(folder, 'wrong')
  const flipped = Buffer.from(whole)
  flipped[whole.length >> 1] = (flipped[whole.length >> 1] as number) ^ 4
  for (const [content, words] of [
    [flipped, 'is damaged'],
    [whole.subarray(0, whole.length - 100), 'truncated'],
    [Buffer.from('PK\u0003\u0004 a zip file'), 'not a file that lookalike made'],
  ] as const) {
    writeFileSync(wrong, content)
    const { code, said } = restore(wrong, '--yes')
    expect([code, said]).toEqual([1, expect.stringContaining(words)])
    expect(said).toContain('Nothing was changed')
  }
  expect(restore(join(folder, 'missing'), '--yes')).toMatchObject({
    code: 1,
    said: expect.stringContaining('no file'),
  })
  expect(storeOf(target.dataDir)).toBe(before)
  expect(readdirSync(target.dataDir).filter((name) => name.startsWith('restore'))).toEqual([])
}, 120_000)

test.each([200, 400, 800])(
  'a restore that is killed after %i ms leaves the old state or the new one',
  async (ms) => {
    const file = backUp()
    const before = storeOf(target.dataDir)
    const child = Bun.spawn([...PROGRAM, 'restore', file, '--data-dir', target.dataDir, '--yes'], {
      ...{ env: ENV, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
    })
    await Bun.sleep(ms)
    child.kill('SIGKILL')
    await child.exited
    expect([before, source.storeId]).toContain(storeOf(target.dataDir))
    expect(existsSync(join(target.dataDir, 'restore.json'))).toBe(false)
    expect(restore(file, '--yes').code).toBe(0)
    expect(storeOf(target.dataDir)).toBe(source.storeId)
  },
  120_000,
)

test('kill -9 of a store that comes in leaves the others, and what is left is hidden and goes', async () => {
  const backup = backUp()
  const file = join(folder, 'one.store')
  const [{ slug }] = JSON.parse(run('store', 'list', '--data-dir', source.dataDir, '--json').out) as [
    { slug: string },
  ]
  expect(run('store', 'export', slug, file, '--data-dir', source.dataDir).code).toBe(0)
  const ways = [
    ['store', 'import', file],
    ['restore', backup, '--store', slug],
  ]
  const before = storeOf(target.dataDir)
  for (const [n, way] of ways.entries()) {
    const as = `taken-${n}`
    const words = [...way, '--as', as, '--new-keys', '--data-dir', target.dataDir]
    const child = Bun.spawn([...PROGRAM, ...words], {
      ...{ env: ENV, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
    })
    await until(() => isUnderWay(way[0] === 'restore'))
    child.kill('SIGKILL')
    await child.exited
    const shown = storeOf(target.dataDir).split(',')
    expect(shown).toContain(before)
    if (shown.length > 1 + n) continue
    const again = run(...words)
    expect([again.code, again.said]).toEqual([0, ''])
  }
  expect(storeOf(target.dataDir).split(',')).toHaveLength(3)
  // The next start deletes what was unpacked, with its keys.
  const service = await startService(target, {})
  expect(readdirSync(target.dataDir).filter((name) => name.startsWith('restore'))).toEqual([])
  await service.stop()
}, 120_000)

/** Whether a store is coming in, or a backup is being unpacked for one. */
function isUnderWay(isUnpacked: boolean): boolean {
  if (isUnpacked) return existsSync(join(target.dataDir, 'restore-one-store', 'lookalike.db'))
  const db = openDatabase(target.dataDir)
  const { n } = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM store_arrivals').get() ?? { n: 0 }
  const { all } = db.prepare<[], { all: number }>('SELECT count(*) AS "all" FROM stores').get() ?? { all: 0 }
  db.close()
  return n > 0 || all > 1
}

async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000 && !holds(); n++) await Bun.sleep(10)
  expect(holds()).toBe(true)
}
