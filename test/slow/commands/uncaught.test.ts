import { expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SRC = join(import.meta.dir, '../../../src')

/** Runs a few lines in a process of their own. */
async function run(lines: string, stderr: 'pipe' | number = 'pipe') {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-uncaught-'))
  const file = join(folder, 'lines.ts')
  await Bun.write(
    file,
    `import { createLog } from ${JSON.stringify(join(SRC, 'commands/service/log.ts'))}
    import { endWhenUncaught, logUncaught } from ${JSON.stringify(join(SRC, 'commands/service/uncaught.ts'))}
    const log = createLog('info')
    const fail = (n = 0) => { throw new Error('broken ' + n + '\\nwith more') }
    ${lines}`,
  )
  const child = Bun.spawn([process.execPath, file], { stdout: 'pipe', stderr })
  const said = stderr === 'pipe' ? new Response(child.stderr as unknown as ReadableStream).text() : ''
  const out = await new Response(child.stdout).text()
  const result = { code: await child.exited, out: out.trim(), said: (await said).trim().split('\n') }
  rmSync(folder, { recursive: true })
  return result
}

const serving = (isBetween = 'true') =>
  `endWhenUncaught(); logUncaught(log, () => ${isBetween}, () => performance.now());`

test.each([
  ['an error in a timer', 'setTimeout(() => fail(7), 1)'],
  ['a promise that nobody waits for', 'void Promise.reject(new Error("broken 7\\nwith more"))'],
])('a command: %s ends it in one line with exit code 1', async (_, lines) => {
  const { code, said } = await run(
    `endWhenUncaught(); ${lines}; setTimeout(() => console.log('went on'), 200)`,
  )
  expect({ code, said }).toEqual({ code: 1, said: ['lookalike: broken 7'] })
})

test('a service: errors in timers and lost promises are lines in the log, with their stack, and it goes on', async () => {
  const { code, out, said } = await run(`${serving()}
    setTimeout(() => fail(1), 1)
    void Promise.reject(new Error('lost'))
    void Promise.reject('a text')
    setTimeout(() => console.log('went on'), 100)`)
  expect({ code, out }).toEqual({ code: 0, out: 'went on' })
  const lines = said.map((line) => JSON.parse(line))
  expect(lines.map(({ err, msg }) => `${msg}: ${err.message.split('\n')[0]}`).toSorted()).toEqual([
    'uncaught error: broken 1',
    'unhandled promise rejection: a text',
    'unhandled promise rejection: lost',
  ])
  for (const { level, err } of lines)
    expect([level, err.stack]).toEqual([50, expect.stringContaining('\n    at ')])
})

test('a service: an error within a transaction ends it, since nothing can be said of its state', async () => {
  const { code, out, said } = await run(
    `${serving('false')} setTimeout(() => fail(1), 1); setTimeout(() => console.log('went on'), 200)`,
  )
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({ level: 60, err: { message: 'broken 1\nwith more' } })
})

test('a service: more than twenty errors in a minute end it', async () => {
  const { code, out, said } = await run(
    `${serving()} for (let n = 0; n < 21; n++) setTimeout(() => fail(n), 1); setTimeout(() => console.log('went on'), 500)`,
  )
  expect({ code, out, lines: said.length }).toEqual({ code: 1, out: '', lines: 21 })
})

test('a log that cannot be written stops nobody', async () => {
  const full = openSync('/dev/full', 'w')
  const { code, out } = await run(
    "for (let n = 0; n < 1000; n++) log.info('line'); console.log('went on')",
    full,
  )
  closeSync(full)
  expect({ code, out }).toEqual({ code: 0, out: 'went on' })
})

test.each([
  ['ends', ''],
  ['ends itself', 'process.exit(3)'],
  ['ends for an error', `endWhenUncaught(); throw new Error('broken')`],
])('a process that %s has written its last lines', async (_, lines) => {
  const { said } = await run(`log.info('one'); log.info('two'); ${lines}`)
  const logged = said.filter((line) => line.startsWith('{'))
  expect(logged.map((line) => JSON.parse(line).msg)).toEqual(['one', 'two'])
})
