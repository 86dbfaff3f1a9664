import { expect, test } from 'bun:test'
import { basename, dirname, join, relative } from 'node:path'
import { parseSync } from 'oxc-parser'

const SRC = join(import.meta.dir, '../src')

/** From which rooms each room may import values. Type-only imports are erased and not seen here. */
const MAY_IMPORT: Record<string, string[]> = {
  core: ['core'],
  platform: ['core', 'platform'],
  http: ['core', 'http'],
  features: ['core', 'http', 'features'],
  // What runs in browsers shares only words and arithmetic with what runs here.
  browser: ['browser', 'core'],
  wiring: ['core', 'platform', 'http', 'features', 'wiring', 'entry'],
  commands: ['core', 'platform', 'http', 'features', 'commands', 'entry'],
  entry: ['core', 'platform', 'http', 'features', 'wiring', 'commands', 'entry'],
}

const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(SRC)].filter(
  (path) => !path.endsWith('.d.ts') && !path.includes('/kernel/'),
)
const code = new Map(
  await Promise.all(files.map(async (path) => [path, await Bun.file(join(SRC, path)).text()] as const)),
)

const room = (path: string) => (path.includes('/') ? (path.split('/')[0] as string) : 'entry')
/** Wing and noun, as in `catalogue/products`. */
const feature = (path: string) => path.split('/').slice(1, 3).join('/')

const loaderOf = (path: string) => (path.endsWith('.tsx') ? 'tsx' : 'ts')

const edges = [...code].flatMap(([from, text]) =>
  new Bun.Transpiler({ loader: loaderOf(from) })
    .scanImports(text)
    .filter(({ path }) => path.startsWith('.'))
    .map(({ path }) => ({ from, to: relative(SRC, join(SRC, dirname(from), path)) }))
    // The manifest and the plugin, of which the portal writes a part into a file, are data.
    .filter(({ to }) => to !== '../package.json' && !to.startsWith('../scripts/plugins/')),
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

test('each module that does anything of its own is listed: the service collects routes, chores and memories from the list', () => {
  const wiring = [...code].filter(([path]) => isWiring(path)).map(([, text]) => text)
  const listed = code.get('wiring/order.ts') ?? ''
  const unlisted = [...code].flatMap(([path, text]) => {
    if (!isModule(path) || !/^ {4}(routes|chores|forgetStore)\b/m.test(text)) return []
    const builders = [...text.matchAll(/export (?:function|const) (build\w+)/g)].map(([, name]) => name)
    const names = builders.flatMap((builder) =>
      wiring.flatMap((wired) => [
        ...wired.matchAll(
          new RegExp(
            `(?:const (\\w+)(?:: \\w+)? = |(\\w+): |const wire(\\w+) = (?:(?!const )[^;])*?=>\\s+)${builder}\\(`,
            'g',
          ),
        ),
      ]),
    )
    const isListed = names.some(([, variable, property, wire]) => {
      const name = variable ?? property ?? (wire && wire[0]?.toLowerCase() + wire.slice(1))
      return new RegExp(`[ .]${name},$`, 'm').test(listed)
    })
    return isListed ? [] : [path]
  })
  expect(unlisted).toEqual([])
})

test('browsers take from core what is written for them, so that nothing else of it is sent to strangers', () => {
  const taken = edges.filter(({ from, to }) => room(from) === 'browser' && room(to) === 'core')
  expect([...new Set(taken.map(({ to }) => to))].sort()).toEqual(['core/password-shape.ts', 'core/slugs.ts'])
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

test('only the egress connects to other servers', () => {
  // The demo, the health check and `import` talk to their own service; `browser` runs in browsers.
  const isEgress = (path: string) =>
    ['commands/demo.ts', 'commands/healthcheck.ts', 'commands/client/service-client.ts'].includes(path) ||
    path.startsWith('platform/outbound/') ||
    room(path) === 'browser'
  const network = /^(node:)?(net|tls|https?|http2|dns|dns\/promises|dgram|undici|ws)$/
  const importers = [...code].filter(
    ([path, text]) =>
      !isEgress(path) &&
      new Bun.Transpiler({ loader: loaderOf(path) })
        // `isIP` and the like only read text.
        .scanImports(text.replace(/^import \{( ?(isIP(v[46])?|type \w+),?)+ \} from 'node:net'$/gm, ''))
        .some(({ path: module }) => network.test(module)),
  )
  expect(importers.map(([path]) => path)).toEqual([])
  // A call of the global, in contrast to a method of that name and its declaration.
  const globals =
    /(?<!async |[\w.]|^\s*)fetch\(|\b(globalThis|Bun)\.fetch\b|\bnew (WebSocket|EventSource)\b|\bBun\.(connect|udpSocket|dns|redis|s3|sql)\b/m
  expect(offenders(globals, isEgress)).toEqual([])
  // It speaks SMTP over a socket that the egress opened.
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

const LINES_MAX = 400

/** Files that may be longer, each with its reason. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'platform/vectors/kernel/scan.ts':
    'AssemblyScript: one compilation unit, whose loops share their layout of the memory',
}

test(`no file has more than ${LINES_MAX} lines: nobody holds a longer one in mind`, async () => {
  const long: string[] = []
  for (const path of new Bun.Glob('**/*.{ts,tsx,js}').scanSync(SRC)) {
    const text = await Bun.file(join(SRC, path)).text()
    if (text.trimEnd().split('\n').length > LINES_MAX) long.push(path)
  }
  expect(long.sort()).toEqual(Object.keys(LONG_FILES).sort())
})

const FUNCTION_LINES_MAX = 150

/** Functions that may be longer, each with its reason. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'features/catalogue/product-index/words/words.ts createWordIndex':
    'its verbs read and write the same typed arrays, and are timed by the microsecond',
}

/** Lists the functions of a file that are too long, by file and name. */
function listLongFunctions(path: string, text: string): string[] {
  const found: string[] = []
  if (text.split('\n').length <= FUNCTION_LINES_MAX) return found
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const child of node) visit(child, name)
      return
    }
    const { type, start, end, id, key, body } = node as Record<string, never>
    const ownName =
      (id as { name?: string } | undefined)?.name ?? (key as { name?: string } | undefined)?.name
    const isFunction = /Function/.test(String(type)) && body !== null
    if (isFunction && text.slice(start, end).split('\n').length > FUNCTION_LINES_MAX) {
      found.push(`${path} ${ownName ?? name}`)
    }
    for (const child of Object.values(node)) visit(child, ownName ?? name)
  }
  visit(parseSync(path, text).program, '')
  return found
}

test(`no function has more than ${FUNCTION_LINES_MAX} lines, factories included: a longer one hides collaborators`, () => {
  const long = [...code].flatMap(([path, text]) => listLongFunctions(path, text))
  // An exception that is none any more must go, too.
  expect(long.sort()).toEqual(Object.keys(LONG_FUNCTIONS))
})

/** Names that say nothing to anybody but their author, or something else in each folder. */
const VAGUE =
  /^(bag|door|frame|gate|ground|hold|later|ledger|lines|look|loop|room|start|stuff|tally|things|view|work)\.ts$/

test('a file is named by what it holds: words that mean something else in each folder are no names', () => {
  expect(files.filter((path) => VAGUE.test(basename(path)))).toEqual([])
})

test('mails that no answer tells of go by sendAfterCommit, which stores and sends them', () => {
  // These answers say whether the mail has left.
  const tells = [
    'features/access/email-change/service.ts',
    'features/access/password-reset/service.ts',
    'features/access/registration/service.ts',
    'features/stores/team/invites.ts',
  ]
  const isMail = (path: string) => path.startsWith('features/mail/')
  expect(offenders(/\boutbox\.deliver\b/, (path) => isMail(path) || tells.includes(path))).toEqual([])
  expect(offenders(/\boutbox\.write\b/, (path) => isMail(path) || tells.includes(path))).toEqual([])
})

test('one feature moves stores to other plans, so that each move is logged once', () => {
  const writers = offenders(
    /'store\.plan_changed'/,
    (path) => path === 'core/audit.ts' || path.includes('/texts/'),
  )
  expect(writers).toEqual(['features/stores/stores/service.ts'])
})

test('features defer work with the power of their base: a timer of their own would be lost at the stop', () => {
  const mayWait = [
    'commands/service/deferred-work.ts',
    // It says that the service has turns, and is cleared at the stop.
    'commands/service/supervisor.ts',
    // It ends with its signal.
    'commands/client/service-client.ts',
    // It cuts a body that stalls, and ends with the request.
    'http/arrival.ts',
  ]
  expect(
    offenders(
      /\bset(Timeout|Interval)\(/,
      (path) => ['browser', 'core', 'platform'].includes(room(path)) || mayWait.includes(path),
    ),
  ).toEqual([])
})

test('waits before another try come from core/backoff', () => {
  const ownWaits =
    /\b\w*(WAITS|DELAYS|PAUSES)(_MS)?\b[^=\n]*= \[|\*\* ?\(?(failures|attempts?|tries|retries)\b|\b2 \* (wait|pause|delay)\w*/
  const importers = new Set(edges.filter(({ to }) => to === 'core/backoff.ts').map(({ from }) => from))
  expect(
    offenders(
      ownWaits,
      (path) => room(path) === 'browser' || path === 'core/backoff.ts' || importers.has(path),
    ),
  ).toEqual([])
})

test('whoever makes others wait builds on the common queues, which are fair between stores', () => {
  const common = /^(platform\/fair\/|core\/(place-count|shares|turns)\.ts$)/
  const importers = new Set(edges.filter(({ to }) => common.test(to)).map(({ from }) => from))
  expect(
    offenders(
      /export (function|const) create\w*(Lanes?|Line|Places?|Queue|Tally|Turns)\b/,
      (path) => common.test(path) || importers.has(path),
    ),
  ).toEqual([])
})
