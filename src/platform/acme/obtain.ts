import { createPrivateKey, X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, Client, Order } from 'acme-client'
import { createBackoff } from '../../core/backoff.ts'
import { systemClock } from '../../core/clock.ts'
import type { Egress } from '../outbound/egress.ts'
import { createAdapter } from './adapter.ts'
import { AcmeError, describeProblem } from './problem.ts'
import { makeKey, makeRequest } from './requests.ts'

export interface ObtainOptions {
  /** Address of the authority's directory. */
  directory: string
  /** Private key of the account, in PEM. The authority makes an account for a key that it does not know. */
  accountKey: string
  domain: string
  /** What the authority finds under `/.well-known/acme-challenge/`: texts by their token. */
  answers: Map<string, string>
  egress: Pick<Egress, 'connect' | 'send'>
  stop: AbortSignal
}

/** A certificate with those of its issuers, and its private key, in PEM. */
export interface Obtained {
  cert: string
  key: string
}

/** An authority that needs longer is asked anew another time. */
const PATIENCE_MS = 3 * 60_000
const pauses = createBackoff({ first: 500, factor: 1.5, longest: 5_000 })

/** More proofs than for one name nobody can want. */
const PROOFS_MAX = 3

/** Gets a certificate by ACME (RFC 8555), proving the name by http-01. @throws AcmeError */
export async function obtainCertificate(options: ObtainOptions): Promise<Obtained> {
  const { domain, accountKey, egress, stop } = options
  const directory = new URL(options.directory)
  const { axios, Client } = await import('acme-client')
  axios.defaults.adapter = createAdapter({ egress, directory, stop })
  const client = new Client({ directoryUrl: options.directory, accountKey })
  try {
    await findAccount(client)
    const order = await client.createOrder({ identifiers: [{ type: 'dns', value: domain }] })
    const proofs = await client.getAuthorizations(order)
    if (proofs.length > PROOFS_MAX) throw new AcmeError(`${directory.hostname} wants too many proofs`)
    for (const proof of proofs) await prove(client, proof, options)
    const key = makeKey()
    await waitUntil(() => client.getOrder(order), ['ready', 'valid'], options)
    await client.finalizeOrder(order, makeRequest(domain, key))
    const done = await waitUntil(() => client.getOrder(order), ['valid'], options)
    const cert = await client.getCertificate(done)
    checkObtained({ cert, key }, domain, directory.hostname)
    return { cert, key }
  } catch (error) {
    if (error instanceof AcmeError || stop.aborted) throw error
    throw new AcmeError(
      `${directory.hostname} does not answer as ACME says: ${(error as Error).message.slice(0, 200)}`,
    )
  }
}

/**
 * Finds the account of the key, or makes it. The library would send a change of an account that exists, which has none that an authority
 * has to accept.
 */
async function findAccount(client: Client): Promise<void> {
  try {
    await client.createAccount({ onlyReturnExisting: true })
  } catch (error) {
    if (!(error instanceof AcmeError && error.kind === 'accountDoesNotExist')) throw error
    await client.createAccount({ termsOfServiceAgreed: true })
  }
}

/** Lets the authority find its text at the name. */
async function prove(client: Client, proof: Authorization, options: ObtainOptions): Promise<void> {
  const { directory, domain, answers } = options
  const { hostname } = new URL(directory)
  if (proof.status === 'valid') return
  const challenge = proof.challenges.find(({ type }) => type === 'http-01')
  if (!challenge)
    throw new AcmeError(
      `${hostname} offers no proof by http-01 for ${domain}, and this service knows no other`,
    )
  answers.set(challenge.token, await client.getChallengeKeyAuthorization(challenge))
  try {
    await client.completeChallenge(challenge)
    await waitUntil(() => readProof(client, proof), ['valid'], options)
  } finally {
    answers.delete(challenge.token)
  }
}

async function readProof(client: Client, { url }: Authorization): Promise<Waiting> {
  const [proof] = await client.getAuthorizations({ authorizations: [url] } as Order)
  const failed = proof?.challenges.find((challenge) => challenge.error)
  return { status: proof?.status ?? 'invalid', error: failed?.error, isProof: true }
}

interface Waiting {
  status: string
  error?: unknown
  isProof?: boolean
}

/** Asks until the authority is done. */
async function waitUntil<Item extends Waiting>(
  read: () => Promise<Item>,
  states: readonly string[],
  { directory, domain, stop }: ObtainOptions,
): Promise<Item> {
  const { hostname } = new URL(directory)
  const end = systemClock.monotonic() + PATIENCE_MS
  for (let tries = 0; systemClock.monotonic() < end; tries++) {
    const item = await read()
    if (states.includes(item.status)) return item
    if (!['pending', 'processing', 'ready'].includes(item.status)) {
      const reason = describeProblem((item.error ?? {}) as object)
      throw item.isProof
        ? new AcmeError(`${hostname} did not find this service at ${domain}: ${reason}`, { kind: 'unproven' })
        : new AcmeError(`${hostname} refused the order: ${reason}`)
    }
    await sleep(pauses(tries), undefined, { signal: stop })
  }
  throw new AcmeError(`${hostname} was not done after ${PATIENCE_MS / 60_000} minutes`)
}

/** What came must be what was asked for: it goes to the disk and to every client. */
function checkObtained({ cert, key }: Obtained, domain: string, host: string): void {
  const read = new X509Certificate(cert)
  const isGood =
    read.checkHost(domain, { subject: 'never' }) !== undefined &&
    read.checkPrivateKey(createPrivateKey(key)) &&
    Date.parse(read.validTo) > systemClock.now()
  if (!isGood) throw new AcmeError(`${host} sent a certificate that is not the one for ${domain}`)
}
