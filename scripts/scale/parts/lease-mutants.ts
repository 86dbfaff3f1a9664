/** Faults that are planted into a copy of the lease: a checker that does not find them proves nothing. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CreateLease } from './lease-world.ts'

export interface Mutant {
  what: string
  /** A text of the lease's files that stands there once, and what takes its place. */
  edits: readonly [was: string, is: string][]
}

export const MUTANTS: readonly Mutant[] = [
  {
    what: "the owner's time begins with the end of its renewal",
    edits: [['renewedAt = began', 'renewedAt = clock.monotonic()']],
  },
  { what: 'a standby takes over after 5 s', edits: [['const STILL_MS = 15_000', 'const STILL_MS = 5_000']] },
  {
    what: 'the owner acknowledges for 30 s',
    edits: [['const ACKNOWLEDGE_MS = 10_000', 'const ACKNOWLEDGE_MS = 30_000']],
  },
  {
    what: 'writes have no If-Match',
    edits: [
      [
        'await object.put(JSON.stringify(content satisfies LeaseContent), condition)',
        'await object.put(JSON.stringify(content), {} as never)',
      ],
    ],
  },
  {
    what: 'a takeover has no If-Match',
    edits: [['[seen.epoch + 1, { ifMatch: seen.etag }]', '[seen.epoch + 1, {} as never]']],
  },
  {
    what: 'a lost answer is known by the name of the node alone',
    edits: [
      [
        '({ renewal }: LeaseContent): boolean => sent.has(renewal)',
        '(found: LeaseContent): boolean => found.owner === owner',
      ],
    ],
  },
  {
    what: 'a copy of the data folder goes on at once',
    edits: [['found.seat !== seat && !(await staysStill(found))', 'found.seat === ""']],
  },
  {
    what: 'an owner goes on after its loss',
    edits: [
      ['isLost = true\n', ''],
      ['!isLost && clock', 'clock'],
      ['- writes.renewedAt < ACKNOWLEDGE_MS', '- writes.renewedAt < 60_000'],
    ],
  },
  { what: 'a takeover keeps the epoch', edits: [['[seen.epoch + 1, {', '[seen.epoch, {']] },
  {
    what: 'a standby counts from its first look, whatever it saw',
    edits: [
      [
        'if (found.etag !== seen.etag) seen = { etag: found.etag, at: clock.monotonic(), epoch: found.epoch }',
        'seen = { etag: found.etag, at: seen.at || clock.monotonic(), epoch: found.epoch }',
      ],
    ],
  },
]

const LEASE = resolve(import.meta.dir, '../../../src/platform/lease')
const CORE = resolve(import.meta.dir, '../../../src/core')

/** Loads a copy of the lease with a planted fault. @throws Error if its text has changed: correct the mutant then. */
export async function loadMutant({ what, edits }: Mutant): Promise<CreateLease> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-mutant-'))
  try {
    const files = readdirSync(LEASE).map((name) => ({ name, text: readFileSync(join(LEASE, name), 'utf8') }))
    for (const [was, is] of edits) {
      const holders = files.filter(({ text }) => text.includes(was))
      const [holder] = holders
      if (!holder || holders.length > 1 || holder.text.split(was).length !== 2)
        throw new Error(`the lease no longer says once: ${was} (mutant: ${what})`)
      holder.text = holder.text.replace(was, () => is)
    }
    for (const { name, text } of files)
      writeFileSync(join(folder, name), text.replaceAll("'../../core/", `'${CORE}/`))
    return ((await import(join(folder, 'lease.ts'))) as { createLease: CreateLease }).createLease
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
