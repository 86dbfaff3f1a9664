import type { Cookie, Page } from 'playwright-core'
import { type Visit, visit } from '../chromium.ts'
import { BEHIND_PROXY, clientAddress, installDemo, openService } from '../service.ts'
import { PASSWORD } from './looks.ts'

export { findFaults, own, PASSWORD, readStorage, scrollWidth } from './looks.ts'

/** One service for all tests of the portal: a start costs more than most of them. It may reach shops and receivers on this machine. */
export const service = openService({
  ...BEHIND_PROXY,
  FETCH_ALLOW_CIDRS: '127.0.0.0/8',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
})

/** Number of the person that was made last. Each has a store and a client address of their own. */
let count = 0

export interface Person {
  email: string
  slug: string
  /** A token of `POST /oauth/login`. */
  token: string
  headers: Record<string, string>
}

export async function call(
  { token, headers }: Pick<Person, 'token' | 'headers'>,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(service.address + path, {
    method,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer
}

/** A picture that the service takes, as a `data:` URI. */
export async function readSample(): Promise<string> {
  const [sample] = (await (await fetch(`${service.address}/samples`)).json()) as { url: string }[]
  const response = await fetch(service.address + new URL(sample?.url ?? '', service.address).pathname)
  const bytes = Buffer.from(await response.arrayBuffer())
  return `data:${response.headers.get('content-type')};base64,${bytes.toString('base64')}`
}

/** Makes somebody with a store. @param products whether the drawn catalogue is in it. */
export async function createOwner(products: 'demo' | 'none' = 'none'): Promise<Person> {
  const n = ++count
  const email = `owner-${n}@shop.test`
  const printed = await service.run(
    ...['setup', '--email', email, '--password', PASSWORD, '--store', `Shop ${n}`, '--json'],
  )
  const { slug } = JSON.parse(printed) as { slug: string }
  const headers = clientAddress(n)
  const { access_token } = await call({ token: '', headers }, 'POST', '/oauth/login', {
    email,
    password: PASSWORD,
  })
  const person = { email, slug, headers, token: String(access_token) }
  if (products === 'demo')
    await installDemo(service.address, person.token, { 'x-service-active-tenant': slug })
  return person
}

export interface Look {
  width: number
  colorScheme: 'light' | 'dark'
  locale?: string
}

export const DESKTOP: Look = { width: 1280, colorScheme: 'light', locale: 'en-GB' }
export const PHONE: Look = { width: 360, colorScheme: 'dark', locale: 'en-GB' }

/** Fills the form for signing in and sends it. */
export async function submitSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.locator('input[type="email"]').fill(email)
  await page.locator('input[type="password"]').fill(password)
  await page.locator('button[type="submit"].primary').click()
}

/** The sign-ins that visits left in their browsers, by e-mail address. The form and the check of a password take most of a visit. */
const signIns = new Map<string, Cookie[]>()

/** Opens a page as somebody who is signed in: by the form the first time, and as they left their browser after that. */
export function visitAs<Result>(
  { email, headers }: Pick<Person, 'email' | 'headers'>,
  path: string,
  look: Look,
  act: (page: Page) => Promise<Result>,
): Promise<Visit<Result>> {
  const cookies = signIns.get(email)
  // It is left by a visit that succeeds.
  signIns.delete(email)
  const address = service.address + (cookies ? path : `/login#${path}`)
  return visit(address, { ...look, headers, cookies }, async (page) => {
    // A busy machine takes longer than this for no step that works.
    page.setDefaultTimeout(20_000)
    if (!cookies) await submitSignIn(page, email)
    await page.waitForURL((url) => url.pathname !== '/login')
    const result = await act(page)
    signIns.set(email, await page.context().cookies())
    return result
  })
}

/** Opens a page of somebody's store. @param rest of the address. */
export const visitPortal = <Result>(
  person: Person,
  rest: string,
  look: Look,
  act: (page: Page) => Promise<Result>,
): Promise<Visit<Result>> => visitAs(person, `/${person.slug}/portal${rest}`, look, act)
