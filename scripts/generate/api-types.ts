/**
 * Writes the types of the API for the portal from our own OpenAPI document to `dist/generated/api.ts`:
 * `bun scripts/generate/api-types.ts`.
 *
 * The document holds plain JSON schemas that this program wrote itself, so a hundred lines do what a library would, which also
 * asks for an older TypeScript than ours. The types are erased: no byte of them reaches a browser.
 */
import { join, resolve } from 'node:path'
import { createOpenApiDocument } from '../../src/commands/openapi.ts'

const target = join(resolve(import.meta.dir, '../..'), 'dist/generated/api.ts')

/** The parts of a JSON schema that our document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  format?: string
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema: Schema
}

type Contents = Record<string, { schema?: Schema }>

interface Operation {
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Contents }
  responses: Record<string, { content?: Contents }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The name in a reference. */
const readName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const joinTypes = (types: readonly string[], sign: '|' | '&'): string =>
  types.length === 1 ? (types[0] ?? 'never') : `(${[...new Set(types)].join(` ${sign} `)})`

/** Formats a schema as a type. What we do not know is `unknown`, so that a page must look before it uses it. */
function formatType(schema: Schema | undefined): string {
  if (!schema) return 'unknown'
  if (schema.$ref) return readName(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum)
    return joinTypes(
      schema.enum.map((value) => JSON.stringify(value)),
      '|',
    )
  const union = schema.anyOf ?? schema.oneOf
  if (union) return joinTypes(union.map(formatType), '|')
  if (schema.allOf) return joinTypes(schema.allOf.map(formatType), '&')
  if (Array.isArray(schema.type))
    return joinTypes(
      schema.type.map((type) => formatType({ ...schema, type })),
      '|',
    )
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return schema.type
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'array':
      return `${formatType(schema.items)}[]`
    case 'object':
      return formatObject(schema)
    default:
      return schema.properties ? formatObject(schema) : 'unknown'
  }
}

function formatObject({ properties = {}, required = [], additionalProperties }: Schema): string {
  const names = Object.keys(properties)
  const values =
    additionalProperties && typeof additionalProperties === 'object' ? additionalProperties : undefined
  if (names.length === 0) return `Record<string, ${formatType(values)}>`
  const fields = names.map(
    (name) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${formatType(properties[name])}`,
  )
  const known = `{ ${fields.join('; ')} }`
  return additionalProperties ? `(${known} & Record<string, unknown>)` : known
}

/** Formats what an operation takes and answers. */
function formatOperation({ parameters = [], requestBody, responses }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const asked = query.map(
    ({ name, required, schema }) => `${JSON.stringify(name)}${required ? '' : '?'}: ${formatType(schema)}`,
  )
  const body = requestBody?.content['application/json']?.schema
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => formatType(content?.['application/json']?.schema))
  return `{ query: { ${asked.join('; ')} }; body: ${body ? formatType(body) : 'undefined'}; answer: ${joinTypes(answers.length > 0 ? answers : ['unknown'], '|')} }`
}

/** Formats the whole file: a type for each named schema, and one for each operation by method and path. */
export function formatApi({ paths, components }: Document): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${formatType(schema)}`,
  )
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method]
      return operation
        ? `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${formatOperation(operation)}`
        : []
    }),
  )
  return `${types.join('\n')}\n\nexport interface Operations {\n${operations.join('\n')}\n}\n`
}

if (import.meta.main) {
  const text = formatApi((await createOpenApiDocument('http://localhost')) as Document)
  await Bun.write(target, text)
  console.log(`dist/generated/api.ts: ${text.length} bytes`)
}
