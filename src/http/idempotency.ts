import { createHash, type Hash } from 'node:crypto'
import type { Actor, Caller } from '../core/actor.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { hashInTurns } from '../core/hash.ts'
import { LIMITS } from '../core/limits.ts'
import { HEAVY_BYTES, turn } from '../core/turns.ts'
import type { IdempotencyKeys } from '../platform/db/idempotency.ts'
import { UploadedFile } from './schema.ts'
import { validationError } from './validation.ts'

/** The header in the API's document. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A new random value for each request. A request that repeats a key within a day is not executed again: ' +
    'the first answer comes back with `Idempotent-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyCharsMax },
} as const

/** Refuses a request whose key belongs to an unfinished one. */
export const inProgress = (): ApiError =>
  new ApiError('idempotency_in_progress', 'The first request with this Idempotency-Key is still running', {
    retryAfterSeconds: 1,
  })

interface Context<By = Actor> {
  request: Request
  path: string
  actor: By
  body: unknown
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

interface Answer<Status extends number, Body> {
  status: Status
  body: Body
}

interface Options {
  /** The answer shows a secret: it is stored sealed, and only the same caller gets it again. */
  isSecret?: boolean
}

/** The failures of a route that may be repeated: the key itself can be wrong, too. */
export const REPEATABLE = ['idempotency_in_progress', 'idempotency_key_reused', 'validation_error'] as const

type Work<Status extends number, Body> = () => Promise<Answer<Status, Body>> | Answer<Status, Body>

/** The most keys to release later; any further key stays taken until the next start, or for a day. */
const STUCK_MAX = 10_000

export type Idempotency = ReturnType<typeof createIdempotency>

/**
 * Honours `Idempotency-Key`: a repeated request gets the first answer again, with `Idempotent-Replayed: true`, and is
 * not executed twice (draft-ietf-httpapi-idempotency-key-header).
 */
export function createIdempotency(
  keysOf: { stores: IdempotencyKeys; people: IdempotencyKeys },
  clock: Clock,
) {
  const ofStores = createAnswering(keysOf.stores, clock, ({ storeId }: Actor) => storeId)
  // A credential without a person was refused earlier.
  const ofPeople = createAnswering(keysOf.people, clock, ({ userId }: Caller) => userId ?? '')
  return {
    /** Does the work, only once for each key of the store, and sets the status. */
    answer: ofStores.answer,
    /** The same for a person who acts for no store. */
    answerPerson: ofPeople.answer,
    /** Forgets keys older than a day. */
    prune(): void {
      ofStores.prune()
      ofPeople.prune()
    },
  }
}

/** Honours the keys of one kind of owner. */
function createAnswering<By extends Caller>(
  keys: IdempotencyKeys,
  clock: Clock,
  readOwner: (by: By) => string,
) {
  const prune = () => keys.prune(clock.now() - LIMITS.idempotencyHours * 3_600_000)

  /** Keys that could not be released because the disk failed during their request. */
  const stuck = new Set<string>()

  /** Releases a key after a failure, at once or as soon as the database can be written. */
  function giveBack(ownerId: string, key: string): void {
    const id = `${ownerId} ${key}`
    try {
      keys.forget(ownerId, key)
      stuck.delete(id)
    } catch {
      if (stuck.size < STUCK_MAX) stuck.add(id)
    }
  }

  async function once<Status extends number, Body>(
    context: Context<By>,
    key: string,
    work: Work<Status, Body>,
    isSecret: boolean,
  ): Promise<Answer<Status, Body>> {
    const ownerId = readOwner(context.actor)
    prune()
    if (stuck.has(`${ownerId} ${key}`)) giveBack(ownerId, key)
    const fingerprint = await computeFingerprint(context, isSecret)
    context.actor.demandStill()
    const known = keys.claim(ownerId, key, fingerprint, clock.now())
    if (known.state === 'other_request') {
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for another request')
    }
    if (known.state === 'running') {
      throw inProgress()
    }
    if (known.state === 'answered') {
      context.set.headers['idempotent-replayed'] = 'true'
      return { status: known.status as Status, body: known.body as Body }
    }
    try {
      const answer = await work()
      keys.finish(ownerId, key, { ...answer, isSecret })
      return answer
    } catch (error) {
      giveBack(ownerId, key)
      throw error
    }
  }

  return {
    async answer<Status extends number, Body>(
      context: Context<By>,
      work: Work<Status, Body>,
      { isSecret = false }: Options = {},
    ): Promise<Body> {
      const key = context.request.headers.get('idempotency-key')
      if (key !== null && (key === '' || key.length > LIMITS.idempotencyKeyCharsMax)) {
        const message = `must have 1 to ${LIMITS.idempotencyKeyCharsMax} characters`
        throw validationError([{ in: 'header', pointer: '/idempotency-key', code: 'length', message }])
      }
      const { status, body } = key === null ? await work() : await once(context, key, work, isSecret)
      context.set.status = status
      return body
    },

    prune,
  }
}

/** Computes SHA-256 over method, path and the parsed body; files count by their bytes. */
async function computeFingerprint(
  { request, path, body, actor }: Context<Caller>,
  byCaller: boolean,
): Promise<Buffer> {
  const hash = createHash('sha256').update(`${request.method} ${path}\n`)
  if (byCaller) hash.update(`${actor.kind} ${actor.userId} ${actor.keyId}\n`)
  const fields = (body ?? {}) as Record<string, unknown>
  for (const name in fields) {
    const value = fields[name]
    hash.update(`${JSON.stringify(name)}:`)
    if (value instanceof UploadedFile) await hashInTurns(hash, await value.bytes())
    else if (typeof value === 'string' && value.length > HEAVY_BYTES) await hashLongString(hash, value)
    else await hashInTurns(hash, await serialize(value ?? null))
  }
  return hash.digest()
}

/** Characters of a string that are serialized in one turn of the event loop. */
const STEP_CHARS = 512 * 1024

/** Adds a string as JSON to a hash, piece by piece. */
async function hashLongString(hash: Hash, text: string): Promise<void> {
  hash.update('"')
  for (let at = 0; at < text.length; ) {
    await turn()
    const end = at + STEP_CHARS
    // The two halves of one character are written differently when they are apart.
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    hash.update(JSON.stringify(text.slice(at, next)).slice(1, -1))
    at = next
  }
  hash.update('"')
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Serializes an object or a list in its own turn of the event loop. */
async function serialize(value: unknown): Promise<string> {
  if (typeof value === 'object') await turn()
  return JSON.stringify(value)
}
