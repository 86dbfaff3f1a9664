import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { recordBar } from './bars.ts'
import { readRepetitions } from './random.ts'

const TRIES = readRepetitions('TIMING_TRIES', 150)
const BENCH = fileURLToPath(new URL('../../scripts/bench/sign-in.ts', import.meta.url))
/** Beyond this a difference counts as proven; the medians may differ by so much. */
const T_MAX = 4.5
const RATIO_MAX = 0.02
/** With fewer tries the medians of a busy machine lie further apart by chance. */
const MANY = 1_000

const PARTS = {
  'sign-in with an unknown e-mail address': 'sign-ins',
  'token with an unknown `client_id`': 'client secrets',
}
/** The ratio of medians of a row, with its note. */
const FIGURES = /\s(\d[\d.]*) \(means (\d[\d.]*), t (-?\d[\d.]*)/

// Times are only reported and never fail the test; the benchmark explains their value.
test(`${TRIES} sign-ins of each kind are timed, and each is answered alike`, async () => {
  const executable = process.env['LOOKALIKE_EXECUTABLE']
  const child = Bun.spawn(
    [process.execPath, BENCH, '--rounds', String(TRIES), ...(executable ? ['--executable', executable] : [])],
    { stdout: 'pipe', stderr: 'pipe' },
  )
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const [name, part] of Object.entries(PARTS)) {
    const row = out.split('\n').find((line) => line.trim().startsWith(name))
    const figures = FIGURES.exec(row ?? '')
    if (!figures) throw new Error(`no figures in ${out}`)
    const [medians = 0, means = 0, t = 0] = figures.slice(1).map(Number)
    const measured = `t ${t.toFixed(2)}, ratio of medians ${medians.toFixed(3)}, of means ${means.toFixed(3)}`
    const isMet = Math.abs(t) < T_MAX && (TRIES < MANY || Math.abs(medians - 1) <= RATIO_MAX)
    recordBar({ bar: 16, part, on: 'program', n: TRIES, measured, isMet })
    expect([means, medians, t].every(Number.isFinite)).toBe(true)
  }
}, 7_200_000)
