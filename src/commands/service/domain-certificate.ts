import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { createBackoff } from '../../core/backoff.ts'
import { type Clock, DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../../core/clock.ts'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import { type AcmeFiles, openAcmeFiles } from '../../platform/acme/files.ts'
import { type Obtained, obtainCertificate } from '../../platform/acme/obtain.ts'
import { AcmeError } from '../../platform/acme/problem.ts'
import { makeKey, makeOwnCertificate } from '../../platform/acme/requests.ts'
import { createEgress, type Egress } from '../../platform/outbound/egress.ts'
import { lookupHost } from '../../platform/outbound/resolver.ts'
import { type Certificate, parseCertificate } from './certificate.ts'
import { openChallengeDoor } from './challenge-door.ts'
import { parseNetworks } from './open-ports.ts'

/**
 * The certificate that a service with a `DOMAIN` shows when it starts: the one it got last, also when that has ended, or else one of
 * its own that no browser believes. So everything else works from the first moment: health checks, commands, the setup link.
 */
export function readDomainCertificate(
  { DATA_DIR, DOMAIN }: Pick<Config, 'DATA_DIR' | 'DOMAIN'>,
  now: number,
): Certificate {
  const kept = openAcmeFiles(resolve(DATA_DIR), DOMAIN).read()
  if (kept) return kept
  const key = makeKey()
  const startsAt = now - HOUR_MS
  const endsAt = now + 7 * DAY_MS
  return { key, cert: makeOwnCertificate(DOMAIN, key, startsAt, endsAt), startsAt, endsAt }
}

/**
 * Waits after failures. An authority such as Let's Encrypt refuses everything after five failed proofs in an hour, so that the service
 * stays below that.
 */
const backoff = createBackoff(
  { waits: [MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS] },
  0.1,
)

/** How much of its life a certificate is used before the next one is asked for, and by how much that differs from one to another. */
const USED_SHARE = 2 / 3
const SPREAD_SHARE = 1 / 30

/** When to ask for the next certificate: not at the same moment as everybody who got one then. @returns Unix ms. */
export function findRenewal({
  cert,
  startsAt,
  endsAt,
}: {
  cert: string
  startsAt: number
  endsAt: number
}): number {
  const life = endsAt - startsAt
  return startsAt + life * (USED_SHARE - SPREAD_SHARE * shareOf(cert))
}

/** A number from 0 to 1 that differs from text to text. */
const shareOf = (text: string): number => (createHash('sha256').update(text).digest()[0] ?? 0) / 255

export interface RenewalDeps {
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  clock: Clock
  /** Shows a certificate to all new connections. */
  show(certificate: Certificate): void
  /** The public address. */
  address: string
  stop: AbortSignal
}

/** Gets the certificate of `DOMAIN` and renews it, again and again until it succeeds. */
export function createRenewal(config: Config, deps: RenewalDeps) {
  const { log, clock, stop } = deps
  const files = openAcmeFiles(resolve(config.DATA_DIR), config.DOMAIN)
  const egress = openAcmeEgress(config)
  const answers = new Map<string, string>()
  let closeDoor: (() => Promise<void>) | undefined
  let renewAt = readRenewal(files)
  // The authority gives few: one that cannot be written yet is not asked for again.
  let unwritten: Obtained | undefined
  let failures = 0
  let triesAt = 0
  let isBusy = false
  // The note of a failure may be that of an earlier process.
  let hasFailed = true

  async function getCertificate(): Promise<void> {
    closeDoor ??= openChallengeDoor(config, answers, deps.address)
    if (unwritten === undefined && clock.now() >= renewAt) {
      log.info(
        { domain: config.DOMAIN, authority: new URL(config.ACME_DIRECTORY).hostname },
        'a certificate is asked for',
      )
      const accountKey = readAccountKey(files)
      const { ACME_DIRECTORY: directory, DOMAIN: domain } = config
      unwritten = await obtainCertificate({ directory, accountKey, domain, answers, egress, stop })
      const { startsAt, endsAt } = parseCertificate(unwritten.cert, domain)
      renewAt = findRenewal({ cert: unwritten.cert, startsAt, endsAt })
      deps.show({ ...unwritten, startsAt, endsAt })
      log.info({ domain, ends: isoTime(endsAt), renewal: isoTime(renewAt) }, 'there is a new certificate')
    }
    if (unwritten === undefined) return
    write(files, unwritten)
    unwritten = undefined
  }

  async function tell(error: unknown): Promise<void> {
    hasFailed = true
    const wait = backoff(failures++, shareOf(config.DOMAIN + failures))
    const asked = error instanceof AcmeError ? error.retryAfterMs : 0
    triesAt = clock.now() + Math.max(wait, asked)
    const reason = await explain(error, config)
    log.warn(
      { domain: config.DOMAIN, reason, next_try: isoTime(triesAt) },
      unwritten ? 'the new certificate is in use and was not kept' : describeState(files, clock.now()),
    )
    try {
      files.writeFailure({ at: clock.now(), reason })
    } catch {
      // It is for the doctor, who also finds a folder that cannot be written.
    }
  }

  return {
    /** Does what is due. */
    async tick(): Promise<void> {
      if (isBusy || stop.aborted || clock.now() < triesAt) return
      isBusy = true
      try {
        await getCertificate()
        failures = 0
        if (hasFailed) files.forgetFailure()
        hasFailed = false
      } catch (error) {
        if (!stop.aborted) await tell(error)
      } finally {
        isBusy = false
      }
    },
    /** Forgets earlier failures and tries at once. */
    tryNow(): Promise<void> {
      failures = 0
      triesAt = 0
      return this.tick()
    },
    close: async (): Promise<void> => closeDoor?.(),
  }
}

function readRenewal(files: AcmeFiles): number {
  const kept = files.read()
  return kept ? findRenewal(kept) : 0
}

function readAccountKey(files: AcmeFiles): string {
  try {
    return files.accountKey()
  } catch (error) {
    const { code = 'it holds no private key' } = error as NodeJS.ErrnoException
    throw new OperatorError(`${files.account} cannot be used (${code}): delete it to get a new account`)
  }
}

function write(files: AcmeFiles, obtained: Obtained): void {
  try {
    files.write(obtained)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new OperatorError(
      `${files.certificate} cannot be written (${code}): the new certificate is lost when the service ends before that is mended`,
    )
  }
}

/** What clients see until the next try succeeds. */
function describeState(files: AcmeFiles, now: number): string {
  const kept = files.read()
  if (!kept) return 'there is no certificate yet: browsers warn of the one that the service made itself'
  return kept.endsAt > now
    ? 'the certificate was not renewed; the earlier one stays'
    : 'the certificate was not renewed and has ended: browsers refuse it'
}

/** One sentence. Where the authority did not find the service, it says where the name leads. */
async function explain(error: unknown, { DOMAIN, OFFLINE }: Config): Promise<string> {
  const { message } = error as Error
  if (!(error instanceof AcmeError && error.kind === 'unproven') || OFFLINE) return message
  const addresses = await lookupHost(DOMAIN).catch(() => [])
  const leads = addresses.length === 0 ? 'has no address' : `leads to ${addresses.join(', ')}`
  return `${message} (here the name ${leads}; it must lead to this machine, and port 80 must be open to everybody)`
}

/** The way to the authority, which may stand in a network of ours unless the install is offline. */
function openAcmeEgress(config: Config): Egress {
  return createEgress({
    allowCidrs: parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    setting: 'FETCH_ALLOW_CIDRS',
    isOffline: config.OFFLINE,
    ...(config.ACME_CA && { ca: readCa(config.ACME_CA) }),
  })
}

function readCa(path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    parseCertificate(text, path, 'ACME_CA')
    return text
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw wrongInput(`ACME_CA: ${path} cannot be read (${code}): check that this user may read it.`)
  }
}
