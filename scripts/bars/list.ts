/** A countable part of a bar, and how often it must run. */
export interface Part {
  name: string
  /** Rounds, requests or cases that the bar demands and `--full` runs. */
  full: number
  /** The count of the cheap set, by default the same. With less, the verdict is at best "partly". */
  cheap?: number
  /** True while this version lacks the feature. */
  isMissing?: boolean
}

export interface Bar {
  number: number
  name: string
  /** The requirement, in one sentence. */
  demand: string
  parts: Part[]
  /** Test files that measure it, from the root of the checkout. */
  suites: string[]
}

const R = './test/robustness'

const part = (name: string, full: number, cheap = full): Part => ({ name, full, cheap })
const missing = (name: string): Part => ({ name, full: 1, isMissing: true })

/** Every bar of reliability and security that this program must meet. */
export const BARS: readonly Bar[] = [
  {
    number: 1,
    name: 'kill -9',
    demand:
      'No acknowledged product, vector or purchase is lost or doubled; searches lose the last half second at most; the next start is sound and quick.',
    parts: [
      part('writes', 1_000, 50),
      part('start-up', 200, 10),
      part('bulk jobs', 200, 4),
      part('feedback', 100, 5),
      part('searches', 100, 5),
    ],
    suites: [`${R}/crash.test.ts`, `${R}/jobs.test.ts`, `${R}/feedback.test.ts`],
  },
  {
    number: 2,
    name: 'torn log',
    demand: 'A write-ahead log cut or overwritten at any byte opens as a prefix of its transactions.',
    parts: [part('cuts', 2_000, 200), part('stretches', 2_000, 200)],
    suites: [`${R}/wal.test.ts`],
  },
  {
    number: 3,
    name: 'full and failing disk',
    demand:
      'A failed write answers 503, reads continue, and free space ends the fault without a restart; nothing is lost.',
    parts: [part('fill levels', 50, 8), part('ENOSPC by call', 200, 20), part('EIO by call', 200, 20)],
    suites: [`${R}/disk-full.test.ts`, `${R}/storage-faults.test.ts`],
  },
  {
    number: 4,
    name: 'sync before answer',
    demand: 'Every acknowledgement waits for an fsync that began after its commit.',
    parts: [part('acknowledgements', 500, 48)],
    suites: [`${R}/fsync.test.ts`],
  },
  {
    number: 5,
    name: 'online backup',
    demand: 'A copy made under load is sound and shows the data of one moment between its start and its end.',
    parts: [missing('copies')],
    suites: [],
  },
  {
    number: 6,
    name: 'exact search',
    demand: 'After every crash the top ten of any query equal those of an exact search in SQL.',
    parts: [part('queries', 100_000, 250)],
    suites: [`${R}/crash.test.ts`],
  },
  {
    number: 7,
    name: 'model-based run',
    demand: 'Indexing, updates, deletions, searches and restarts in any order agree with a model in memory.',
    parts: [part('steps', 2_000_000, 300), part('restarts', 1_000, 3)],
    suites: [`${R}/model.test.ts`],
  },
  {
    number: 8,
    name: 'jobs under kill -9',
    demand: 'Each item of a job takes effect exactly once, or is recorded as failed.',
    parts: [part('kills', 200, 4)],
    suites: [`${R}/jobs.test.ts`],
  },
  {
    number: 9,
    name: 'webhook delivery',
    demand: 'Each event is signed, keeps one id, and is delivered on schedule or listed as exhausted.',
    parts: [part('events through kill -9', 10_000, 300)],
    suites: [`${R}/webhooks.test.ts`],
  },
  {
    number: 10,
    name: 'events',
    demand: 'Each operation with an event emits it.',
    parts: [part('operations', 5)],
    suites: [`${R}/webhooks.test.ts`],
  },
  {
    number: 11,
    name: 'refused addresses',
    demand: 'The service refuses 500 forms of private addresses and sends no packet to any of them.',
    parts: [part('corpus', 500), part('through the routes', 120)],
    suites: ['./test/platform/pictures/refused-addresses.test.ts', `${R}/addresses.test.ts`],
  },
  {
    number: 12,
    name: 'allowed addresses',
    demand: 'The service accepts the neighbours of every special block, and 60 addresses in daily use.',
    parts: [part('corpus', 60)],
    suites: ['./test/core/networks.test.ts'],
  },
  {
    number: 13,
    name: 'hostile downloads',
    demand: 'A download from a slow, endless, inflating or lying server ends after at most 15 s and 12 MB.',
    parts: [part('endings', 5), part('memory', 5)],
    suites: [
      './test/platform/pictures/fetch.test.ts',
      './test/platform/pictures/fetch-load.test.ts',
      `${R}/downloads.test.ts`,
    ],
  },
  {
    number: 14,
    name: 'damaged pictures',
    demand: 'Mutants and bombs are embedded or refused; no process dies, grows, or delays other requests.',
    parts: [part('mutants', 100_000, 2_000), part('bombs', 40), part('others meanwhile', 40)],
    suites: [`${R}/pictures.test.ts`, `${R}/bystanders.test.ts`],
  },
  {
    number: 15,
    name: 'decoder crashes',
    demand: 'A picture whose process is killed gets 422 or 503; a new process runs within 1 s.',
    parts: [part('kills', 200, 12)],
    suites: ['./test/slow/platform/embedder/recovery.test.ts', `${R}/embedder.test.ts`],
  },
  {
    number: 16,
    name: 'timing of sign-ins',
    demand:
      'Response times do not reveal whether an e-mail address or client is known (|t| < 4.5, medians within 2 %).',
    parts: [part('sign-ins', 5_000, 150), part('client secrets', 5_000, 150)],
    suites: [`${R}/timing.test.ts`],
  },
  {
    number: 17,
    name: 'forged tokens',
    demand: 'Each of 60 forgeries gets 401, never 500; revoked tokens stay revoked after a restart.',
    parts: [part('forgeries', 60), part('revoked', 20)],
    suites: ['./test/http/access-tokens-forged.test.ts', `${R}/revoked.test.ts`],
  },
  {
    number: 18,
    name: 'refresh',
    demand:
      'Of 20 refreshes at once exactly one wins. A token can be refreshed 299 s after its end, but not 301 s after.',
    parts: [part('races', 200, 8), part('boundary', 4)],
    suites: ['./test/features/access/sign-in/refresh.test.ts'],
  },
  {
    number: 19,
    name: 'second factor',
    demand: 'A code works once, within one step of drift; a wrong password never reveals the second factor.',
    parts: [part('reuse', 1_000, 20), part('drift', 3), part('second factor hidden', 1_000, 20)],
    suites: [
      './test/features/access/two-factor/routes.test.ts',
      './test/features/access/two-factor/accepted-steps.test.ts',
      './test/features/access/sign-in/login-two-factor.test.ts',
    ],
  },
  {
    number: 20,
    name: 'throttles',
    demand: 'Of a burst of 50, exactly the limit gets through, also after a restart; Retry-After is exact.',
    parts: [part('boundary', 4), part('bursts', 50), part('restart', 1), part('retry-after', 100, 10)],
    suites: [
      './test/features/access/sign-in/throttle-address.test.ts',
      './test/features/access/sign-in/throttle-identity.test.ts',
    ],
  },
  {
    number: 21,
    name: 'rate window',
    demand: 'Any 60 s admit exactly the limit, never more or fewer, in bounded memory.',
    parts: [part('schedules', 1_000, 300), part('addresses', 1_000_000, 100_000)],
    suites: ['./test/core/rate-window.test.ts'],
  },
  {
    number: 22,
    name: 'secrets at rest',
    demand:
      'The database, its write-ahead log, the log lines and the answers contain no secret in plain text.',
    parts: [part('secrets', 12)],
    suites: [`${R}/canaries.test.ts`],
  },
  {
    number: 23,
    name: 'access table',
    demand: 'Each route answers each kind of credential as the table says; resources of others look absent.',
    parts: [part('cells', 1_000)],
    suites: ['./test/access-table.test.ts'],
  },
  {
    number: 24,
    name: 'stores apart',
    demand: 'No answer to one store reveals data of another, even with nearly the same pictures.',
    parts: [part('in the process', 50_000, 2_000), part('in the program', 50_000, 500)],
    suites: ['./test/features/discovery/search/isolation.test.ts', `${R}/isolation.test.ts`],
  },
  {
    number: 25,
    name: 'widget origins',
    demand: 'A widget key works from its exact origins only.',
    parts: [part('origins', 40)],
    suites: ['./test/features/discovery/widget/origins.test.ts'],
  },
  {
    number: 26,
    name: 'withdrawn rights',
    demand: 'A withdrawn right ends with the next request.',
    parts: [part('next request', 1_000, 50)],
    suites: ['./test/access/at-once.test.ts'],
  },
  {
    number: 27,
    name: 'wild requests',
    demand:
      'No request gets 500 or ends the process; each error explains itself, each success matches the API document.',
    parts: [part('in the process', 100_000, 5_000), part('in the program', 100_000, 5_000)],
    suites: [`${R}/fuzz.test.ts`],
  },
  {
    number: 28,
    name: 'abuse of HTTP',
    demand: 'Slow, huge and broken requests reach a limit and slow down no other client.',
    parts: [part('limits', 10), part('slow senders', 1_000, 50), part('memory', 1)],
    suites: [`${R}/http.test.ts`],
  },
  {
    number: 29,
    name: 'overload',
    demand:
      'At four times its capacity the service still serves 80 % of the capacity, refuses the rest quickly, and recovers within 10 s.',
    parts: [part('seconds', 300, 10)],
    suites: [`${R}/overload.test.ts`],
  },
  {
    number: 30,
    name: 'soak',
    demand: 'Memory, open files and the write-ahead log stop growing under a long mixed load.',
    parts: [part('requests', 5_000_000, 5_000)],
    suites: [`${R}/soak.test.ts`],
  },
  {
    number: 31,
    name: 'graceful stop',
    demand: 'SIGTERM under load ends the service within 10 s, whatever hangs, and loses no accepted work.',
    parts: [part('SIGTERM', 100, 10)],
    suites: [`${R}/stop.test.ts`],
  },
  {
    number: 32,
    name: 'clock steps',
    demand: 'After a clock step, no limit blocks longer than its own period.',
    parts: [part('steps', 20)],
    suites: [
      './test/core/rate-window.test.ts',
      './test/platform/db/throttle.test.ts',
      './test/features/access/two-factor/accepted-steps.test.ts',
      './test/features/access/sign-in/clock-steps.test.ts',
    ],
  },
  {
    number: 33,
    name: 'upgrade',
    demand:
      'Each released schema migrates, also after a kill half way; a newer schema is refused with an explanation.',
    parts: [part('forward', 1), part('interrupted', 100, 10), part('newer schema', 1)],
    suites: ['./test/migrations.test.ts'],
  },
  {
    number: 34,
    name: 'event loop',
    demand: 'A body costs time in proportion to its size, and delays other requests by at most 50 ms.',
    parts: [part('growth', 5), part('wait', 5), part('size without sign-in', 1)],
    suites: [`${R}/linear.test.ts`, `${R}/loop.test.ts`, './test/http/body-limits.test.ts'],
  },
  {
    number: 35,
    name: 'silence',
    demand: 'A full run makes no DNS look-up and no connection, and writes only where it should.',
    parts: [part('look-ups', 1), part('connections', 1), part('files', 1)],
    suites: [`${R}/silence.test.ts`],
  },
  {
    number: 36,
    name: 'memory',
    demand: '80 downloads and 120 uploads of 9 MB at once fit into 700 MB of memory; refusals are quick.',
    parts: [part('downloads', 80), part('uploads', 120)],
    suites: [`${R}/memory.test.ts`],
  },
  {
    number: 37,
    name: 'growth',
    demand:
      'The cost of a write, of a new product, a page, a GET and a token check does not depend on the number of products.',
    parts: [
      part('write', 1_000_000, 20_000),
      part('new product', 1_000_000, 20_000),
      part('page', 1_000_000, 20_000),
      part('GET', 1_000_000, 20_000),
      part('token check', 1_000_000, 20_000),
    ],
    suites: [`${R}/growth.test.ts`],
  },
  {
    number: 38,
    name: 'healing',
    demand:
      'A dead or stopped model process works again within 5 s after the cause ends; readiness reports its true state.',
    parts: [part('kill -9', 50, 5), part('SIGSTOP', 50, 1), part('EMFILE', 50, 1), part('pids limit', 50, 1)],
    suites: [`${R}/embedder.test.ts`, './test/slow/platform/embedder/healing.test.ts'],
  },
  {
    number: 39,
    name: 'faults of storage',
    demand:
      'Each fault of the disk or its files gets an explanation and a code, never 500 or a wrong result.',
    parts: [
      part('ENOSPC', 1),
      part('EIO', 1),
      part('damaged page', 1),
      part('missing secret', 1),
      part('emptied database', 1),
      part('flipped bytes', 1),
    ],
    suites: [
      `${R}/storage-faults.test.ts`,
      './test/slow/commands/install.test.ts',
      './test/executable/damage.test.ts',
      './test/executable/libraries.test.ts',
      './test/platform/db/damage.test.ts',
    ],
  },
  {
    number: 40,
    name: 'late bodies',
    demand: 'A right that is lost while a body is on its way has no effect, whatever the route and the way.',
    parts: [part('late bodies', 300)],
    suites: ['./test/access-table.test.ts'],
  },
  {
    number: 41,
    name: 'files',
    demand:
      'A file costs time in proportion to its size, delays others by at most 50 ms, and nothing once its sender has left.',
    parts: [part('growth', 20), part('wait', 20), part('after leaving', 1)],
    suites: [`${R}/files.test.ts`],
  },
  {
    number: 42,
    name: 'no file kills twice',
    demand: 'A file whose reading ended the service three times is not read again; each start is quick.',
    parts: [part('feed', 3)],
    suites: [`${R}/files.test.ts`],
  },
  {
    number: 43,
    name: 'neighbours',
    demand:
      'Whatever two and four stores do to what stores share, another store is never refused and waits at most twice as long, plus 1 s.',
    parts: [part('shared places', 20)],
    suites: [`${R}/neighbours.test.ts`],
  },
  {
    number: 44,
    name: "one store's bug",
    demand: 'An error that nobody knows, in the work of any loop for one store, holds up no other store.',
    parts: [part('loops', 4)],
    suites: [`${R}/one-store.test.ts`],
  },
  {
    number: 45,
    name: 'traces of a free store',
    demand:
      'A free store at its full budget for an hour, by the worst request of a route, leaves at most 50 MB beside what the plan counts.',
    parts: [
      part('products', 40),
      part('feedback lists', 5),
      part('feedback', 300),
      part('feedback of pages', 1),
      part('searches', 200),
    ],
    suites: [`${R}/traces.test.ts`],
  },
  {
    number: 46,
    name: 'suggestions',
    demand:
      'Whatever is suggested for a misspelt word, no turn of the event loop takes longer than 8 ms for it.',
    parts: [part('suggestions', 6)],
    suites: [`${R}/hints.test.ts`],
  },
  {
    number: 47,
    name: 'public tellers',
    demand:
      'Nothing that comes with a widget key changes what the backend tells or has told; popularity moves by no more than the key’s budget.',
    parts: [part('orders', 200), part('popularity', 400)],
    suites: ['./test/features/discovery/feedback/reporters.test.ts'],
  },
  {
    number: 48,
    name: 'expressions',
    demand: 'The time of a regular expression grows with a long run of what it names, and not faster.',
    parts: [part('characters', 262_144, 65_536), part('readers of cells', 14)],
    suites: [`${R}/expressions.test.ts`],
  },
]
