import { turn } from '../../core/turns.ts'
import { ErrorBody, Problem } from '../failures.ts'
import { buildDocumentHead, SECURITY_SCHEMES, TAGS } from './document-head.ts'
import {
  type DeclaredRoute,
  describeRoute,
  type Operation,
  SHARED_PARAMETERS,
  toDocumentPath,
} from './operation.ts'
import { createSchemaBook } from './schema-book.ts'
import { buildSharedFailures } from './shared-failures.ts'

/** Routes to describe in one turn of the event loop, which takes a few milliseconds. */
const ROUTES_PER_TURN = 10

export interface DocumentSources {
  version: string
  /** The public address of the service. */
  baseUrl: string
  /** Every route, as Elysia lists it. */
  routes: readonly unknown[]
  /** Schemas that routes refer to as `#/components/schemas/<name>`. */
  schemas: Readonly<Record<string, object>>
}

/**
 * Builds the OpenAPI document from the routes, as Elysia lists them, in several turns of the event loop. `named()` gives a
 * schema its name and its example. A failure refers to the shared answer of its status, whose example is made by the code
 * that answers it. `test/http/openapi-rules.test.ts` says what a new operation must declare; a new tag is a row of
 * `document-head.ts`.
 *
 * @throws Error for a route whose declaration lacks what the document needs, or two schemas of one name.
 */
export async function buildDocument({ version, baseUrl, routes, schemas }: DocumentSources): Promise<object> {
  const book = createSchemaBook(schemas)
  const found: { path: string; method: string; operation: Operation }[] = []
  const shown = (routes as readonly DeclaredRoute[]).filter(({ hooks }) => hooks.detail?.hide !== true)
  for (const [n, route] of shown.entries()) {
    if (n % ROUTES_PER_TURN === ROUTES_PER_TURN - 1) await turn()
    const { method, path } = route
    found.push({
      path: toDocumentPath(path),
      method: method.toLowerCase(),
      operation: describeRoute(route, book),
    })
  }
  const place = ({ operation }: (typeof found)[number]): number =>
    TAGS.findIndex(({ name }) => name === operation.tags[0])
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { path, method, operation } of found.toSorted((one, other) => place(one) - place(other))) {
    paths[path] = { ...paths[path], [method]: operation }
  }
  for (const schema of [ErrorBody, Problem]) book.convert(schema)
  return {
    ...buildDocumentHead(version, baseUrl),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: SHARED_PARAMETERS,
      responses: await buildSharedFailures(baseUrl),
      schemas: book.list(),
    },
  }
}
