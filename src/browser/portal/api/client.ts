import type { Operations } from '#generated/api.ts'
import { buildAddress } from './build-address.ts'
import { CallError } from './errors.ts'
import { offline } from './offline.ts'
import { forgetToken, readToken, signInAgain } from './session.ts'
import { type Message, open, send } from './transport.ts'

export type Call = keyof Operations
export type Answer<Name extends Call> = Operations[Name]['answer']
type Query<Name extends Call> = Partial<Operations[Name]['query']>

/** What one call sends. `file` stands for calls that take a form with a picture. */
export interface Sent<Name extends Call> {
  /** What stands in the braces of the path. */
  path?: Readonly<Record<string, string>>
  query?: Query<Name>
  body?: Operations[Name]['body']
  form?: FormData
  /** The version that a change starts from. If it is another by now, nothing is written (409, see `parts/conflict.tsx`). */
  ifMatch?: string | null
  signal?: AbortSignal
  /** Hears which share of a form has left, from 0 to 1. */
  onProgress?: (share: number) => void
}

/** The store that the page is about. */
let activeStore: string | null = null
/** Called after a refusal for missing rights: they may have changed since the page was opened. */
let onRefused = () => {}

export const setActiveStore = (slug: string | null): void => {
  activeStore = slug
}
export const listenForRefusals = (listener: () => void): void => {
  onRefused = listener
}

/**
 * Calls the API as the person who is signed in, for the store of the page. An ended sign-in is no failure: the person signs in
 * again in a dialog, and the call is repeated.
 *
 * @throws CallError
 */
export const call = <Name extends Call>(name: Name, sent: Sent<Name> = {}): Promise<Answer<Name>> =>
  offline.watch(() => attempt(name, sent, send)) as Promise<Answer<Name>>

/**
 * Calls the API as {@link call} does, for an answer that is no JSON: a table or a stream of events.
 *
 * @param accept the media type of the answer. @throws CallError
 */
export const callRaw = <Name extends Call>(name: Name, sent: Sent<Name>, accept: string): Promise<Response> =>
  offline.watch(() => attempt(name, sent, open, accept))

/** Something as it was read, with its version for {@link Sent.ifMatch}. */
export interface Versioned<Value> {
  value: Value
  version: string | null
}

/** Reads as {@link call} does, together with the version of what is read. @throws CallError */
export async function readVersion<Name extends Call>(
  name: Name,
  sent: Sent<Name> = {},
): Promise<Versioned<Answer<Name>>> {
  const response = await callRaw(name, sent, 'application/json')
  return { value: (await response.json()) as Answer<Name>, version: response.headers.get('etag') }
}

/** Tries with one token after the other: one may have ended, and the person may have to sign in again. */
async function attempt<Name extends Call, Result>(
  name: Name,
  sent: Sent<Name>,
  deliver: (method: string, address: string, message: Message) => Promise<Result>,
  accept = 'application/json',
): Promise<Result> {
  const [method = 'GET', path = ''] = name.split(' ')
  const address = buildAddress(path, sent.path ?? {}, sent.query ?? {})
  for (let tries = 1; ; tries++) {
    const token = await readToken()
    if (token === null) {
      await signInAgain()
      continue
    }
    const headers = new Headers({ accept, authorization: `Bearer ${token}` })
    // What the operator does concerns no store of the page: one that is suspended would refuse it.
    if (activeStore !== null && !path.startsWith('/v1/admin/'))
      headers.set('x-service-active-tenant', activeStore)
    const { form, body, ifMatch, signal, onProgress } = sent
    if (ifMatch) headers.set('if-match', ifMatch)
    try {
      return await deliver(method, address, { headers, body: form ?? body, signal, onProgress })
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown
      if (thrown.status === 403) onRefused()
      if (thrown.status !== 401 || tries > 2) throw thrown
      forgetToken(token)
    }
  }
}
