/**
 * Checks the lease: two nodes never acknowledge at once, and when the disturbances are over somebody does within 30 s.
 *
 *     bun scripts/scale/lease-check.ts [--schedules 5000] [--rounds 200] [--at-once 10] [--seed N]
 *
 * First schedules in virtual time, with the real lease: pauses before every step, lost and late answers, partitions, kills, restarts of machines, copied
 * data folders, clocks that run apart, the store away for a minute and for an hour. The same schedules must find each fault that is planted
 * into a copy of the lease. Then rounds with processes and the object store of the drills: SIGSTOP, `kill -9`, cables that are cut in one
 * direction or both. Each round takes one to two minutes, `--at-once` of them side by side.
 *
 * A schedule or round that fails is named by its seed, and comes again by `--seed <that> --schedules 1` or `--rounds 1`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLease } from '../../src/platform/lease/lease.ts'
import { openBucket } from './parts/bucket.ts'
import { loadMutant, MUTANTS } from './parts/lease-mutants.ts'
import { type RoundOutcome, runRound } from './parts/lease-round.ts'
import { type CreateLease, runSchedule } from './parts/lease-world.ts'
import { atMost, conclude, figure, none, type Row } from './parts/report.ts'

const { values: flags } = parseArgs({
  options: {
    schedules: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '200' },
    'at-once': { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
})
const RECOVERY_S = 30
const MUTANT_SCHEDULES = 1_000
const [schedules, rounds, atOnce, seed] = [flags.schedules, flags.rounds, flags['at-once'], flags.seed].map(
  Number,
) as [number, number, number, number]

console.log(`seed ${seed}`)
const rows: Row[] = []
if (schedules > 0) rows.push(...checkSchedules())
if (schedules > 1) rows.push(await checkMutants())
if (rounds > 0) rows.push(...(await checkRounds()))
process.exit(conclude('Who may acknowledge', rows))

function checkSchedules(): Row[] {
  let [acks, changes, slowestMs, faulty] = [0, 0, 0, 0]
  for (let n = seed; n < seed + schedules; n++) {
    const outcome = runSchedule(n, createLease)
    acks += outcome.acks
    changes += outcome.changes
    slowestMs = Math.max(slowestMs, outcome.recoveredMs)
    if (outcome.faults.length === 0) continue
    faulty++
    console.error(`schedule ${n}: ${outcome.faults.join('; ')}`)
  }
  return [
    none('schedules in virtual time with two owners, or none in the end', faulty, `of ${schedules}`),
    figure('acknowledged in them', acks),
    figure('another process went on', changes),
    atMost('slowest return after the disturbances', slowestMs / 1_000, RECOVERY_S, 's'),
  ]
}

async function checkMutants(): Promise<Row> {
  const missed: string[] = []
  for (const mutant of MUTANTS) if (!isFound(await loadMutant(mutant))) missed.push(mutant.what)
  return none(
    'planted faults that they do not find',
    missed.length,
    missed.join(', ') || `of ${MUTANTS.length}`,
  )
}

function isFound(create: CreateLease): boolean {
  for (let n = seed; n < seed + MUTANT_SCHEDULES; n++)
    if (runSchedule(n, create).faults.length > 0) return true
  return false
}

async function checkRounds(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), 'lookalike-lease-'))
  try {
    await using bucket = await openBucket(root)
    const seeds = Array.from({ length: rounds }, (_, n) => seed + n)
    const outcomes: RoundOutcome[] = []
    const work = async (): Promise<void> => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const outcome = await runRound(next, bucket, root)
        outcomes.push(outcome)
        const { faults, recoveredMs, steps } = outcome
        if (faults.length > 0 || recoveredMs > RECOVERY_S * 1_000)
          console.error([`round ${next}: ${faults.join('; ')}`, ...steps].join('\n  '))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const sum = (pick: (outcome: RoundOutcome) => number): number =>
      outcomes.reduce((total, outcome) => total + pick(outcome), 0)
    const faulty = outcomes.filter(({ faults }) => faults.length > 0).length
    return [
      none('rounds with processes in which two acknowledge', faulty, `of ${rounds}`),
      figure(
        'acknowledged in them',
        sum(({ acks }) => acks),
      ),
      figure(
        'another process went on',
        sum(({ changes }) => changes),
      ),
      atMost(
        'slowest return after the disturbances',
        Math.max(...outcomes.map(({ recoveredMs }) => recoveredMs)) / 1_000,
        RECOVERY_S,
        's',
      ),
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
