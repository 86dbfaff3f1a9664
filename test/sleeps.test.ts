import { expect, test } from 'bun:test'
import { Glob } from 'bun'

/** Tests that need a started service, and so its clock. */
const SLOW = /^(slow|robustness|executable|browser|clients)\//

/** Waits of the quick tests by file, each with its reason. A new one needs a better reason than "until it is done". */
const WAITS: Readonly<Record<string, { count: number; reason: string }>> = {
  'commands/service/ending.test.ts': { count: 2, reason: 'measures that the loop of events goes on' },
  'commands/service/deferred-work.test.ts': { count: 3, reason: 'tests the timers themselves' },
  'features/catalogue/product-feeds/failures.test.ts': {
    count: 2,
    reason: 'a server that sends slowly or breaks off',
  },
  'features/catalogue/jobs/neighbours.test.ts': { count: 1, reason: 'shows that nothing more begins' },
  'migrations.test.ts': { count: 2, reason: 'other processes hold the database' },
  'platform/embedder/fake-child.ts': { count: 4, reason: 'a child process waits for a file' },
  'platform/embedder/fake.ts': { count: 1, reason: 'waits for a child process' },
  'platform/embedder/watch.test.ts': { count: 1, reason: 'shows that a child process computes no more' },
  'platform/mail/mailer.test.ts': { count: 1, reason: 'stops while sockets are open' },
  'platform/models/download.test.ts': { count: 1, reason: 'a server that never ends a file' },
  'platform/outbound/poster.test.ts': { count: 1, reason: 'a server that sends slowly' },
  'platform/pictures/fetch-load.test.ts': { count: 3, reason: 'shows that nothing arrives on a socket' },
  'platform/pictures/fetch.test.ts': { count: 1, reason: 'a server that sends slowly' },
}

/** A wait of more than no time: `sleep(0)` only lets the loop of events turn once. */
const WAIT = /\bsleep(?:Sync)?\((?!0?\))|\bset(?:Timeout|Interval)\(/g

test('no quick test waits for time to pass, but for those with a reason', async () => {
  const counts: Record<string, number> = {}
  for await (const path of new Glob('**/*.ts').scan(import.meta.dir)) {
    if (SLOW.test(path) || path === 'sleeps.test.ts') continue
    const text = await Bun.file(`${import.meta.dir}/${path}`).text()
    const count = text.match(WAIT)?.length ?? 0
    if (count > 0) counts[path] = count
  }
  expect(counts).toEqual(Object.fromEntries(Object.entries(WAITS).map(([path, { count }]) => [path, count])))
})
