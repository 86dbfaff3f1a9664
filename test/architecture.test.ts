import { expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'

const SRC = join(import.meta.dir, '../src')

/** From which rooms each room may import values. Type-only imports are erased and not seen here. */
const MAY_IMPORT: Record<string, string[]> = {
  core: ['core'],
  platform: ['core', 'platform'],
  http: ['core', 'http'],
  features: ['core', 'http', 'features'],
  // What runs in browsers shares nothing with what runs here.
  browser: ['browser'],
  wiring: ['core', 'platform', 'http', 'features', 'wiring', 'entry'],
  commands: ['core', 'platform', 'http', 'features', 'commands', 'entry'],
  entry: ['core', 'platform', 'http', 'features', 'wiring', 'commands', 'entry'],
}

const files = [...new Bun.Glob('**/*.ts').scanSync(SRC)].filter(
  (path) => !path.endsWith('.d.ts') && !path.includes('/kernel/'),
)
const code = new Map(
  await Promise.all(files.map(async (path) => [path, await Bun.file(join(SRC, path)).text()] as const)),
)

const room = (path: string) => (path.includes('/') ? (path.split('/')[0] as string) : 'entry')
/** Wing and noun, as in `catalogue/products`. */
const feature = (path: string) => path.split('/').slice(1, 3).join('/')

const edges = [...code].flatMap(([from, text]) =>
  new Bun.Transpiler({ loader: 'ts' })
    .scanImports(text)
    .filter(({ path }) => path.startsWith('.'))
    .map(({ path }) => ({ from, to: relative(SRC, join(SRC, dirname(from), path)) }))
    // The manifest is data.
    .filter(({ to }) => to !== '../package.json'),
)

/** Files whose text fits the pattern, but for the allowed ones. Comments do not count. */
function offenders(pattern: RegExp, isAllowed: (path: string) => boolean): string[] {
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
  return [...code]
    .filter(([path, text]) => !isAllowed(path) && pattern.test(withoutComments(text)))
    .map(([path]) => path)
}

test('the rooms are the ones of src/README.md', () => {
  expect([...new Set(files.map(room))].sort()).toEqual([
    'browser',
    'commands',
    'core',
    'entry',
    'features',
    'http',
    'platform',
    'wiring',
  ])
})

/** The file that wires a feature. */
const isModule = (path: string) => /^features\/[^/]+\/[^/]+\/module\.ts$/.test(path)

test('values are imported downhill only', () => {
  const allowed = (from: string) => [
    ...(MAY_IMPORT[room(from)] ?? []),
    ...(isModule(from) ? ['platform', 'entry'] : []),
  ]
  expect(edges.filter(({ from, to }) => !allowed(from).includes(room(to)))).toEqual([])
})

test('a module takes of the entry files only the version', () => {
  const upward = edges.filter(({ from, to }) => isModule(from) && room(to) === 'entry')
  expect(upward.filter(({ to }) => to !== 'version.ts')).toEqual([])
})

/** The files that put the program together. */
const isWiring = (path: string) => room(path) === 'wiring' || ['app.ts', 'install.ts'].includes(path)

test('only the wiring imports modules', () => {
  const wired = edges.filter(({ to }) => isModule(to))
  expect(wired.filter(({ from }) => !isWiring(from))).toEqual([])
})

test('the wiring reaches features by their modules alone', () => {
  const reached = edges.filter(({ from, to }) => isWiring(from) && room(to) === 'features')
  expect(reached.filter(({ to }) => !isModule(to))).toEqual([])
})

test('imports form no circle', () => {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' → '))
    if (done.has(path) || above.includes(path)) return
    for (const { to } of edges.filter(({ from }) => from === path)) visit(to, [...above, path])
    done.add(path)
  }
  for (const path of files) visit(path, [])
  expect(circles).toEqual([])
})

test('a feature takes only schemas from another feature', () => {
  const sideways = edges.filter(
    ({ from, to }) => room(from) === 'features' && room(to) === 'features' && feature(from) !== feature(to),
  )
  expect(sideways.filter(({ to }) => !to.endsWith('/schema.ts'))).toEqual([])
})

test('only queries and platform hold SQL', () => {
  const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[\s\S]{0,200}\b(FROM|VALUES|SET|WHERE)\b/
  expect(offenders(sql, (path) => path.endsWith('queries.ts') || room(path) === 'platform')).toEqual([])
})

test('queries open no transaction: a service decides what belongs together', () => {
  const transaction = /\.transaction\(|\.(?:exec|prepare)\(\s*['"`]\s*(?:BEGIN|SAVEPOINT)\b/
  expect(offenders(transaction, (path) => !path.endsWith('queries.ts'))).toEqual([])
})

test('time and chance come in through core', () => {
  const world = /Date\.now|new Date\(\)|Math\.random|randomUUID|getRandomValues|performance\.now/
  // Commands, the model's own process and browsers measure and wait for themselves; no rule of the service hangs on it.
  expect(
    offenders(
      world,
      (path) =>
        ['browser', 'core', 'commands'].includes(room(path)) || path.startsWith('platform/embedder/child/'),
    ),
  ).toEqual([])
})

test('only the outbound door connects to other servers', () => {
  // The demo, the health check and `import` talk to their own service; `browser` runs in browsers.
  const isDoor = (path: string) =>
    ['commands/demo.ts', 'commands/healthcheck.ts', 'commands/client/service-client.ts'].includes(path) ||
    path.startsWith('platform/outbound/') ||
    room(path) === 'browser'
  const network = /^(node:)?(net|tls|https?|http2|dns|dns\/promises|dgram|undici|ws)$/
  const importers = [...code].filter(
    ([path, text]) =>
      !isDoor(path) &&
      new Bun.Transpiler({ loader: 'ts' })
        // `isIP` and the like only read text.
        .scanImports(text.replace(/^import \{( ?(isIP(v[46])?|type \w+),?)+ \} from 'node:net'$/gm, ''))
        .some(({ path: module }) => network.test(module)),
  )
  expect(importers.map(([path]) => path)).toEqual([])
  // A call of the global, in contrast to a method of that name and its declaration.
  const globals =
    /(?<!async |[\w.]|^\s*)fetch\(|\b(globalThis|Bun)\.fetch\b|\bnew (WebSocket|EventSource)\b|\bBun\.(connect|udpSocket|dns|redis|s3|sql)\b/m
  expect(offenders(globals, isDoor)).toEqual([])
  // It speaks SMTP over a socket that the door opened.
  expect(offenders(/['"]nodemailer['"]/, (path) => path === 'platform/mail/mailer.ts')).toEqual([])
})

test('the environment is read by the entry, and by the unpacking that runs before it', () => {
  expect(
    offenders(/process\.env|Bun\.env/, (path) => path === 'main.ts' || path.startsWith('platform/native/')),
  ).toEqual([])
})

test('there are no barrels and no rooms for odds and ends', () => {
  expect(
    files.filter((path) => /(^|\/)(index|utils?|helpers?|common|misc|types)(\/|\.ts$)/.test(path)),
  ).toEqual([])
})

test('what came with a request is walked with loops: lists of values and copies for each name cost seconds', () => {
  // `Object.values` of a long list builds another; `getAll` searches all fields again for each name.
  const slow =
    /\.getAll\(|\b(?:Object\.(?:values|entries)|Array\.from)\((?:value|body|fields|item|items|input|text|query)\b/
  expect(offenders(slow, (path) => room(path) !== 'http')).toEqual([])
})
