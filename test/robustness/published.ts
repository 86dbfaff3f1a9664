import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ERRORS } from '../../src/core/errors.ts'
import type { ApiDocument, WildRequest } from './requests.ts'

/** An answer as a test judges it. */
export interface Answer {
  status: number
  type: string
  headers: Record<string, string>
  text: string
}

type Asked = Pick<WildRequest, 'method' | 'url'>

/** Paths that a browser may open from a link in a mail; their refusals are pages too. */
const PAGES = /^\/(verify|oauth\/password\/reset)\b/

/**
 * Creates a judge of answers by the published document: each success has the published shape, and each refusal is an
 * error with a message that the operation declares.
 *
 * @returns a function that describes the fault of an answer, or gives undefined.
 */
export function createAnswerCheck(
  document: ApiDocument,
): (asked: Asked, answer: Answer) => string | undefined {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addSchema({ ...document, $id: 'api' })
  const compiled = new Map<string, ValidateFunction>()
  const templates = Object.keys(document.paths)
    .map((path) => ({ path, form: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)

  /** Finds the operation of a request: of all matching paths, the one with the fewest parameters. */
  function findOperation({ method, url }: Asked) {
    const { pathname } = new URL(url, 'http://lookalike.test')
    const path = templates.find(({ form }) => form.test(pathname))?.path
    const verb = method.toLowerCase()
    const responses = path === undefined ? undefined : document.paths[path]?.[verb]?.responses
    return { path, verb, responses }
  }

  function shapeFault(asked: Asked, status: number, body: unknown): string | undefined {
    const { path, verb, responses } = findOperation(asked)
    if (path === undefined || !responses) return undefined
    if (!responses[status]) return `answered ${status}, which ${verb} ${path} does not declare`
    if (!responses[status].content?.['application/json']) return undefined
    const place = ['paths', path, verb, 'responses', String(status), 'content', 'application/json', 'schema']
    const pointer = place.map((key) => encodeURIComponent(key.replaceAll('/', '~1'))).join('/')
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#/${pointer}` })
    compiled.set(pointer, validate)
    return validate(body) ? undefined : `${status} of ${verb} ${path}: ${ajv.errorsText(validate.errors)}`
  }

  function errorFault(asked: Asked, status: number, text: string): string | undefined {
    const { error, message, details } = JSON.parse(text)
    if (status >= 500 && status !== 503) return `answered ${status} ${text}`
    if (!Object.hasOwn(ERRORS, error)) return `no known code: ${text}`
    if (typeof message !== 'string' || message === '') return `no message: ${text}`
    const expected: number = ERRORS[error as keyof typeof ERRORS].status
    if (expected !== status) return `${error} came with ${status}`
    const { path, verb, responses } = findOperation(asked)
    // The router normalised the path, such as /v1/products/.. to /v1/.
    if (error === 'method_not_allowed' || details?.resource === 'endpoint') return undefined
    return responses && !responses[status]?.description.includes(`\`${error}\``)
      ? `answered ${text}, and ${verb} ${path} does not declare ${error}`
      : undefined
  }

  return (asked, { status, type, text }) => {
    const isJson = /\bjson\b/.test(type)
    if (asked.method === 'HEAD') return status >= 500 && status !== 503 ? `answered ${status}` : undefined
    if (status < 400) return isJson ? shapeFault(asked, status, JSON.parse(text)) : undefined
    if (PAGES.test(asked.url) && text.startsWith('<!doctype html>') && status < 500) return undefined
    return isJson ? errorFault(asked, status, text) : `answered ${status} without JSON: ${text.slice(0, 200)}`
  }
}
