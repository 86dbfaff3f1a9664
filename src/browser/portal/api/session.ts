import type { AccessToken, UserToken } from '#generated/api.ts'
import { CallError } from './errors.ts'
import { send } from './transport.ts'

/**
 * The sign-in of this tab (contract 5.17). The token lives in this variable and nowhere else; a cookie that no script sees
 * refreshes it. Tabs tell each other of new tokens, so that most of them never ask.
 */
let token: { value: string; until: number } | null = null

/** One refresh at a time; whoever asks meanwhile gets its outcome. */
let refreshing: Promise<string | null> | null = null

/** Tokens are renewed this long before they end, so that none ends on its way. */
const MARGIN_MS = 60_000

type News =
  | { kind: 'token'; value: string; until: number }
  | { kind: 'signed-in'; value: string; until: number; person: string }
  | { kind: 'ended' }

const tabs = new BroadcastChannel('lookalike-session')

/** Whose sign-in the tab shows. */
let person: string | null = null

/** The shell's answer to a sign-in that has ended: it asks the person to sign in, and resolves when that is done. */
let askToSignIn: (() => Promise<void>) | null = null
let asking: Promise<void> | null = null
/** Called when another tab has signed in, so that an open dialog closes. */
let onToken = () => {}

export const setPerson = (id: string): void => {
  person = id
}
export const setAsker = (ask: () => Promise<void>): void => {
  askToSignIn = ask
}
export const listenForToken = (listener: () => void): void => {
  onToken = listener
}

tabs.onmessage = ({ data }: MessageEvent<News>) => {
  if (data.kind === 'ended') return leave()
  // Another person: what this page shows is not theirs to see.
  if (data.kind === 'signed-in' && person !== null && data.person !== person) return location.reload()
  if (token !== null && token.until >= data.until) return
  token = { value: data.value, until: data.until }
  onToken()
}

/** Shows the page for signing in, and forgets everything by loading it anew. */
function leave(): void {
  token = null
  if (location.pathname !== '/login') location.replace('/login')
}

const endOf = ({ expires_in }: AccessToken): number => Date.now() + expires_in * 1000

const SCRIPT = { 'x-requested-with': 'lookalike' }

/** Asks for a token with the cookie. @throws CallError */
const askForToken = async (): Promise<AccessToken> =>
  (await send('POST', '/portal/session/refresh', { headers: new Headers(SCRIPT) })) as AccessToken

/** Renews the token. @returns null when the sign-in has ended. @throws CallError for every other failure. */
async function refresh(): Promise<string | null> {
  try {
    const answer = await askForToken()
    token = { value: answer.access_token, until: endOf(answer) }
    tabs.postMessage({ kind: 'token', ...token } satisfies News)
    return token.value
  } catch (thrown) {
    // Meanwhile somebody may have signed in again: then nobody is asked a second time.
    if (thrown instanceof CallError && thrown.status === 401) return token?.value ?? null
    throw thrown
  }
}

/** Gives a token that is good for a minute at least. @returns null when nobody is signed in. */
export async function readToken(): Promise<string | null> {
  if (token !== null && token.until - MARGIN_MS > Date.now()) return token.value
  refreshing ??= refresh().finally(() => {
    refreshing = null
  })
  return refreshing
}

/** Drops a token that was refused, unless a newer one has come. */
export function forgetToken(value: string): void {
  if (token?.value === value) token = null
}

/** Asks the person to sign in again; all calls that wait go on together. */
export function signInAgain(): Promise<void> {
  if (!askToSignIn) {
    location.replace(`/login#${location.pathname}${location.search}${location.hash}`)
    return new Promise(() => {})
  }
  asking ??= askToSignIn().finally(() => {
    asking = null
  })
  return asking
}

export interface Credentials {
  email: string
  password: string
  totp_code?: string
  recovery_code?: string
}

/** Takes the sign-in that an answer brings, such as that of the set-up. */
export function takeSignIn(answer: AccessToken & Pick<UserToken, 'user_id'>): void {
  token = { value: answer.access_token, until: endOf(answer) }
  tabs.postMessage({ kind: 'signed-in', ...token, person: answer.user_id } satisfies News)
}

/** Takes the sign-in of which an answer has brought the cookie alone, such as that of a new member. @throws CallError */
export async function takeCookie(user_id: string): Promise<void> {
  takeSignIn({ ...(await askForToken()), user_id })
}

/** @throws CallError */
export async function signIn(credentials: Credentials): Promise<UserToken> {
  const answer = (await send('POST', '/portal/session', { body: credentials })) as UserToken
  const isSame = person === null || person === answer.user_id
  takeSignIn(answer)
  if (isSame) return answer
  // Somebody else: nothing that waits for the former person may go on in their name.
  location.assign(answer.redirect)
  return new Promise(() => {})
}

/** Ends the sign-in, in every tab. */
export async function signOut(): Promise<void> {
  await send('DELETE', '/portal/session', { headers: new Headers(SCRIPT) }).catch((thrown: unknown) => {
    // It has ended already.
    if (!(thrown instanceof CallError && thrown.status === 401)) throw thrown
  })
  tabs.postMessage({ kind: 'ended' } satisfies News)
  leave()
}
