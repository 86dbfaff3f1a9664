import { describeOperation, type Operator } from '../../../core/audit.ts'
import { DAY_MS, isoTime, MINUTE_MS } from '../../../core/clock.ts'
import { ApiError, rateLimitExceeded } from '../../../core/errors.ts'
import { createNodeCode, fromBase32, NODE_SECRET_BYTES, toBase32 } from '../../../core/node-code.ts'
import { hashSecret, isSameHash } from '../../../core/secrets.ts'
import type { Throttle } from '../../../core/throttle.ts'
import { throttleKey } from '../../../core/throttle-keys.ts'
import type { NodeDoor } from '../../../http/node-door.ts'
import type { Base } from '../../module.ts'
import type { NodeSecrets } from '../protocol/schema.ts'
import type { InvitePurpose, NodeInviteQueries } from './queries.ts'
import type { NodeInvite } from './schema.ts'

export interface TrustDeps extends Pick<Base, 'clock' | 'ids' | 'atomically' | 'record'> {
  queries: NodeInviteQueries
  /** Wrong codes by network address. */
  failures: Throttle
  door: NodeDoor
  /** Reads the files of `secrets/` that belong to the install, and not to the machine. */
  readSecrets(): Promise<NodeSecrets['files']>
  version: string
}

export type TrustService = ReturnType<typeof trustService>

/** How long a code is good for. */
const LIFETIME_MS = 10 * MINUTE_MS
/** More codes at a time than anybody types in. */
const OPEN_MAX = 100
/** How long a code that is over is told apart from a wrong one. */
const KNOWN_MS = DAY_MS

/** Codes by which another node gets in, each once (contract 8.19). */
export function trustService(deps: TrustDeps) {
  const { queries, failures, door, clock, ids, atomically, record } = deps

  /** 80 random bits. */
  const createSecret = (): Buffer =>
    Buffer.from(ids.secret(NODE_SECRET_BYTES), 'base64url').subarray(-NODE_SECRET_BYTES)

  function writeCommand(purpose: InvitePurpose, url: string, code: string): string {
    return purpose === 'move'
      ? `lookalike store move SLUG --to ${url} --code ${code}`
      : `lookalike node secrets --from ${url} --code ${code}`
  }

  function hashOf(text: string): Buffer {
    const secret = fromBase32(text)
    // A text that is none is as wrong as another code.
    return hashSecret(toBase32(secret ?? new Uint8Array()))
  }

  /**
   * Looks at a code without using it up. Wrong ones count against the address that sent them, and never against a code.
   *
   * @param again the store for which it may have been used already, because the answer was lost.
   * @returns what {@link use} takes.
   * @throws ApiError `unauthorized`, `rate_limit_exceeded`.
   */
  function demand(text: string, purpose: InvitePurpose, address: string, again?: string): Buffer {
    const key = throttleKey(address)
    const now = clock.now()
    const verdict = failures.peek(key, now)
    if (!verdict.isAllowed) throw rateLimitExceeded('Too many wrong codes from this address', verdict)
    const codeHash = hashOf(text)
    const row = queries.find(codeHash)
    if (!isSameHash(codeHash, row?.codeHash) || row?.purpose !== purpose) {
      failures.add(key, now)
      throw refuse('The code is wrong: copy it whole, as "lookalike node invite" has printed it')
    }
    // Whoever says the following has shown the code.
    const isAgain = again !== undefined && row.usedFor === again
    if (row.usedAt !== null && !isAgain)
      throw refuse('The code was used already: make another one with "lookalike node invite"')
    if (row.expiresAt <= now)
      throw refuse(
        'The code has expired: it is good for 10 minutes; make another one with "lookalike node invite"',
      )
    return codeHash
  }

  /** Uses a code up. Call it in the transaction of what it was for. @throws ApiError `unauthorized` */
  function use(codeHash: Buffer, usedFor: string | null): void {
    if (queries.use(codeHash, usedFor, clock.now())) return
    const row = queries.find(codeHash)
    if (row === undefined || usedFor === null || row.usedFor !== usedFor)
      throw refuse('The code was used already: make another one with "lookalike node invite"')
  }

  return {
    demand,
    use,

    /** Makes a code. @throws ApiError `conflict` where no node gets in, and for too many codes at a time. */
    invite(operator: Operator, purpose: InvitePurpose = 'move'): NodeInvite {
      const fingerprint = door.readFingerprint()
      if (!fingerprint)
        throw new ApiError(
          'conflict',
          'Other nodes reach this one over TLS alone, and it speaks http: set NODE_PORT, TLS_CERT or DOMAIN, and start it again',
        )
      const secret = createSecret()
      const expiresAt = clock.now() + LIFETIME_MS
      atomically(() => {
        const now = clock.now()
        queries.prune(now - KNOWN_MS)
        if (queries.countOpen(now) >= OPEN_MAX)
          throw new ApiError(
            'conflict',
            `There are ${OPEN_MAX} codes that nobody has used yet: wait ten minutes`,
          )
        queries.add(hashSecret(toBase32(secret)), purpose, expiresAt)
        record(describeOperation(operator, null, 'node.invited', { for: purpose }))
      })
      const code = createNodeCode(secret, fingerprint)
      const url = door.readAddress()
      return {
        code,
        for: purpose,
        url,
        command: writeCommand(purpose, url, code),
        expires_at: isoTime(expiresAt),
      }
    },

    /** Gives the secrets to a standby that shows a code made for it. @throws ApiError like {@link demand} */
    async giveSecrets(text: string, address: string): Promise<NodeSecrets> {
      const codeHash = demand(text, 'standby', address)
      const files = await deps.readSecrets()
      atomically(() => {
        use(codeHash, null)
        record({
          ...{ action: 'node.secrets_sent', actorKind: 'anyone', storeId: null, userId: null, keyId: null },
          ...{ details: { address }, clientInfo: null },
        })
      })
      return { version: deps.version, files }
    },
  }
}

const refuse = (message: string): ApiError => new ApiError('unauthorized', message)
