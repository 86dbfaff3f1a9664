import { TokenQuery } from './account-schema.ts'
import { isFromBrowser, PAGE, prefersPage } from './page.ts'
import { answerPortalPage } from './portal-page.ts'
import { findProblems, validationError } from './validation.ts'

/** Marks the routes that answer browsers with HTML. */
export const ALSO_A_PAGE = { [PAGE]: true }

export const BAD_LINK = ['unauthorized', 'The link is invalid or has expired.'] as const
export const TOO_MANY_FROM_ADDRESS = [
  'rate_limit_exceeded',
  'Too many requests came from this network address.',
] as const

/** Keeps answers about a link out of caches, and its address out of `Referer` headers. Run it before each route. */
export function keepPrivate({ set }: Pick<Context, 'set'>): void {
  set.headers['cache-control'] = 'no-store'
  set.headers['referrer-policy'] = 'no-referrer'
}

export interface Context {
  request: Request
  set: { status?: number | string; headers: Record<string, string | number | undefined> }
}

/** Decides which clients get a page instead of data, and by which headers. */
interface Audience {
  wantsPage(request: Request): boolean
  vary: string
}

/** For requests that change something: includes clients that only look like a browser. */
export const BROWSERS: Audience = { wantsPage: isFromBrowser, vary: 'accept, sec-fetch-mode, user-agent' }

export const READERS: Audience = { wantsPage: prefersPage, vary: 'accept' }

async function answerPage(request: Request, vary: string): Promise<Response> {
  const page = await answerPortalPage(request, 'no-store')
  page.headers.append('vary', vary)
  return page
}

/**
 * Answers a client that wants a page with the portal, whose script reads the token. Answers other clients with data about
 * the token in the query.
 *
 * @throws ApiError `validation_error` if such a client sends no token.
 */
export function answerPageOr<Data>(
  { request, set, query }: Context & { query: { token?: string } },
  { wantsPage, vary }: Audience,
  data: (token: string) => Data,
): Data | Promise<Data> {
  // Elysia sends a Response as it is, without checking the schema of the data.
  if (wantsPage(request)) return answerPage(request, vary) as Promise<Data>
  set.headers['vary'] = vary
  const problems = findProblems(TokenQuery, query, 'query')
  if (problems.length > 0) throw validationError(problems)
  return data(query.token as string)
}
