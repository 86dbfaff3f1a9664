import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readChanges } from '../../scripts/release/changes.ts'
import { demandReleasable } from '../../scripts/release/demands.ts'
import { writeGuide } from '../../scripts/release/documents.ts'
import { findOldestGlibc } from '../../scripts/release/glibc.ts'
import { fillInstallScript } from '../../scripts/release/packages.ts'
import { packTar } from '../../scripts/release/tar.ts'

const ROOT = join(import.meta.dir, '../..')
const VERSION = '0.2.0'
/** A public key that signs nothing here. */
const KEY = 'RWThvbSwlq5qLtn4jtvxixEz7EJBNTOdSCZdkC8g5G0UYti9vbLjIeD/'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lookalike-release-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a release is refused with every reason at once', () => {
  const keys = { secret: join(folder, 'none'), public: join(folder, 'none.pub') }
  expect(() => demandReleasable(ROOT, 'v9', keys)).toThrow(
    /v9 is no version, such as 1.2.3\n {2}package.json has version \d+\.\d+\.\d+, not v9\n(?:.*\n)*.*there is no .*none: make a key/,
  )
})

test('the changes of a version are its sections of the changelog, and a version without one is refused', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  expect(readChanges(ROOT, version).text).toStartWith(`## ${version}`)
  expect(() => readChanges(ROOT, '0.1')).toThrow(/no section for 0\.1:/)
  expect(() => readChanges(ROOT, '9.9.9')).toThrow(/no section for 9\.9\.9:/)
})

test.skipIf(Bun.which('readelf') === null)(
  'the oldest glibc is that of the newest symbol of all parts',
  () => {
    const database = join(ROOT, 'node_modules/better-sqlite3/prebuilds/linux-x64.node')
    const passwords = join(ROOT, 'node_modules/@node-rs/argon2-linux-x64-gnu/argon2.linux-x64-gnu.node')
    const text = join(ROOT, 'LICENSE')
    expect(findOldestGlibc([passwords, text])).toBe('2.14')
    expect(findOldestGlibc([database, passwords])).toBe('2.34')
  },
)

test('a packed folder has the same bytes each time', async () => {
  const pack = () => packTar('package', { 'a.txt': 'a', 'b.txt': 'b' }, new Date('2026-11-28'))
  expect(await pack()).toEqual(await pack())
})

test('the guide is a folder of pages whose links lead to each other, with what its search looks through', async () => {
  const release = { root: ROOT, folder, version: VERSION }
  await writeGuide(release)
  const guide = join(folder, 'guide')
  const files = readdirSync(guide)
  const missing = files
    .filter((name) => name.endsWith('.html'))
    .flatMap((name) => {
      const page = readFileSync(join(guide, name), 'utf8')
      const targets = [...page.matchAll(/ (?:href|src)="([^"#]+)[^"]*"/g)].map(([, target = '']) => target)
      return targets.filter((target) => !/^(https:|data:)/.test(target) && !files.includes(target))
    })
  expect(missing).toEqual([])
  const script = readFileSync(join(guide, 'guide-sections.js'), 'utf8')
  const sections = JSON.parse(script.slice(script.indexOf('['))) as {
    page: string
    href: string
    text: string
  }[]
  const upgrade = sections.find(({ href }) => href === 'upgrading.html#the-executable')
  expect(upgrade).toMatchObject({
    page: 'Upgrade',
    text: expect.stringContaining('A newer version is another executable'),
  })
})

describe('install.sh', () => {
  /** Programs that stand in for those of the machine. */
  let fakes: string
  let published: string
  let home: string
  const name = 'lookalike-0.2.0-linux-x64'
  const program = () => join(home, '.local/bin/lookalike')

  beforeEach(() => {
    const base = mkdtempSync(join(folder, 'install-'))
    ;[fakes, published, home] = [join(base, 'fakes'), join(base, 'published'), join(base, 'home')] as const
    for (const path of [fakes, published, home]) mkdirSync(path)
    fake('id', 'echo 1000')
    fake('uname', 'case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac')
    fake('getconf', 'echo "glibc 2.36"')
    fake('minisign', 'exit 0')
    // Asked whether the processor has AVX2.
    fake('grep', 'exit 0')
    const executables = [
      { target: { name: 'linux-x64', os: 'linux' as const }, glibc: '2.34' },
      { target: { name: 'linux-arm64', os: 'linux' as const }, glibc: '2.34' },
    ]
    const script = readFileSync(join(ROOT, 'scripts/release/files/install.sh'), 'utf8')
    writeFileSync(
      join(published, 'install.sh'),
      fillInstallScript(script, { version: VERSION, key: KEY }, executables),
    )
    publish('echo 0.2.0')
  })

  const fake = (tool: string, body: string) => {
    writeFileSync(join(fakes, tool), `#!/bin/sh\n${body}\n`)
    chmodSync(join(fakes, tool), 0o755)
  }
  const publish = (body: string) => {
    const content = `#!/bin/sh\n${body}\n`
    writeFileSync(join(published, name), content)
    const hash = new Bun.CryptoHasher('sha256').update(content).digest('hex')
    writeFileSync(join(published, 'SHA256SUMS'), `${hash}  ${name}\n`)
    writeFileSync(join(published, 'SHA256SUMS.minisig'), 'a signature')
  }
  const install = async (...words: string[]) => {
    const script = Bun.file(join(published, 'install.sh'))
    const child = Bun.spawn(['sh', '-s', '--', ...words], {
      env: { PATH: `${fakes}:${process.env['PATH']}`, HOME: home },
      stdin: script,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, said, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    return { code, out, said }
  }
  /** What is in the place, besides the program. */
  const leftovers = () => (existsSync(dirname(program())) ? readdirSync(dirname(program())) : [])

  test('puts the program in place without root, and says what it does', async () => {
    const { code, said } = await install('--from', published)
    expect([code, said]).toEqual([
      0,
      [
        'lookalike 0.2.0 for linux-x64',
        `  from   ${published}/${name}`,
        `  to     ${program()}`,
        'The signature is right.',
        'Installed: 0.2.0',
        `${dirname(program())} is not on the PATH. Next: ${program()} demo`,
        '',
      ].join('\n'),
    ])
    expect(leftovers()).toEqual(['lookalike'])
  })

  test('takes the files from a server', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) => new Response(Bun.file(join(published, new URL(url).pathname))),
    })
    const { code, said } = await install('--from', `http://127.0.0.1:${server.port}/`)
    await server.stop(true)
    expect([code, said]).toEqual([0, expect.stringContaining('Installed: 0.2.0')])
  })

  test('does nothing with --dry-run', async () => {
    const { code, said } = await install('--from', published, '--dry-run')
    expect([code, said]).toEqual([0, expect.stringContaining(`  to     ${program()}`)])
    expect(leftovers()).toEqual([])
  })

  test.each<[string, () => void, RegExp]>([
    [
      'a cut download',
      () => writeFileSync(join(published, name), '#!/bin/sh'),
      /is cut or was altered: its SHA-256 is [0-9a-f]{64}/,
    ],
    [
      'a signature that is wrong',
      () => fake('minisign', 'exit 1'),
      /SHA256SUMS is not signed with the key of the releases/,
    ],
    [
      'sums of another release',
      () => writeFileSync(join(published, 'SHA256SUMS'), `${'0'.repeat(64)}  other\n`),
      /belongs to another release/,
    ],
    ['a missing file', () => rmSync(join(published, 'SHA256SUMS')), /there is no .*SHA256SUMS/],
    ['a program that does not start', () => publish('exit 1'), /does not start on this machine/],
    ['a processor without AVX2', () => fake('grep', 'exit 1'), /this processor has no AVX2/],
    [
      'an old glibc',
      () => fake('getconf', 'echo "glibc 2.31"'),
      /needs glibc 2\.34 or newer, and this system has 2\.31/,
    ],
    ['another C library', () => fake('getconf', 'exit 1'), /another C library \(Alpine has musl\)/],
    [
      'another processor',
      () => fake('uname', 'case $1 in -s) echo Linux ;; -m) echo riscv64 ;; esac'),
      /no lookalike for the processor riscv64/,
    ],
    ['another system', () => fake('uname', 'echo FreeBSD'), /no lookalike for FreeBSD/],
    [
      'a target that this release does not have',
      () => fake('uname', 'case $1 in -s) echo Darwin ;; -m) echo arm64 ;; esac'),
      /comes for linux-x64 linux-arm64, and this machine is darwin-arm64/,
    ],
  ])('refuses %s in one sentence, and leaves nothing', async (_, spoil, reason) => {
    spoil()
    const { code, said } = await install('--from', published)
    expect([code, said]).toEqual([1, expect.stringMatching(/^Not installed: .+$/m)])
    expect(said).toMatch(reason)
    expect(leftovers()).toEqual([])
  })

  test('refuses to replace a program, and says how an upgrade is done', async () => {
    mkdirSync(dirname(program()), { recursive: true })
    writeFileSync(program(), 'mine')
    const { code, said } = await install('--from', published)
    expect([code, said]).toEqual([1, expect.stringContaining(`lookalike upgrade ./${name}`)])
    expect(readFileSync(program(), 'utf8')).toBe('mine')
  })

  test('refuses an address without encryption, none, and unknown options', async () => {
    expect((await install('--from', 'http://shop.example')).said).toContain('is not encrypted')
    expect((await install('--from', 'ftp://shop.example')).said).toContain(
      'no address with https and no absolute path',
    )
    expect((await install()).said).toContain('name where the files of the release are')
    expect((await install('--fast')).said).toContain('there is no option --fast')
    expect((await install('--help')).out).toContain('--dry-run')
  })

  test('a script that was cut does nothing', async () => {
    const whole = readFileSync(join(published, 'install.sh'), 'utf8')
    writeFileSync(join(published, 'install.sh'), whole.slice(0, whole.lastIndexOf('main "$@"')))
    expect(await install('--from', published)).toEqual({ code: 0, out: '', said: '' })
    expect(leftovers()).toEqual([])
  })
})
