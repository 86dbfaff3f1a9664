import { type Answer, BASE_URL, type TestApp } from './app.ts'
import { freshAddress, from, PASSWORD, type Person } from './people.ts'

export const PORTAL = '/portal/session'

/** What a script of the portal's pages sends with each request. */
export const OWN_PAGE: Record<string, string> = { origin: BASE_URL, 'x-requested-with': 'lookalike' }

/** Reads the cookie that an answer sets, as a browser would send it. */
export const cookieOf = ({ headers }: Pick<Answer, 'headers'>): string =>
  headers.get('set-cookie')?.split(';', 1)[0] ?? ''

/** A person who is signed in to the portal in a browser. */
export interface Browser {
  token: string
  cookie: string
}

export const sendPortalSignIn = (
  app: TestApp,
  email: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  app.call('POST', PORTAL, {
    body: { email, password: PASSWORD, ...more },
    headers: { ...OWN_PAGE, ...from(freshAddress()), ...headers },
  })

/** Signs a person in to the portal. */
export async function openPortal(
  app: TestApp,
  { email }: Pick<Person, 'email'>,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Browser> {
  const answer = await sendPortalSignIn(app, email, more, headers)
  if (answer.status !== 200) throw new Error(`the sign-in was answered with ${JSON.stringify(answer.body)}`)
  return { token: String(answer.body['access_token']), cookie: cookieOf(answer) }
}

export const refreshPortal = (app: TestApp, cookie: string, headers: Record<string, string> = {}) =>
  app.call('POST', `${PORTAL}/refresh`, { headers: { ...OWN_PAGE, cookie, ...headers } })

export const signOut = (app: TestApp, cookie: string, headers: Record<string, string> = {}) =>
  app.call('DELETE', PORTAL, { headers: { ...OWN_PAGE, cookie, ...headers } })
