import type { TSchema } from '@sinclair/typebox'
import { findNumber } from '../request-check.ts'
import { ANY_KEY, NAME } from './named.ts'

type Json = Record<string, unknown>

/** The schema of a body in the document, and the example of its media type. */
interface BodySchema {
  schema: Json
  example?: unknown
}

/** The keyword of {@link ANY_KEY}. */
const [ANY] = Object.keys(ANY_KEY) as [string]

/** Keywords of ours and of our libraries, which say nothing to a reader. */
const INNER = new Set([NAME, ANY, '$id', 'nullable', 'patternProperties', 'default'])

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['examples', 'const', 'enum', 'required', 'type'])

/**
 * Collects the named schemas of the document while it is written, and converts every schema to JSON Schema 2020-12, the
 * dialect of OpenAPI 3.1, without the keywords of our libraries.
 *
 * @param given schemas that refer to each other by name.
 */
export function createSchemaBook(given: Readonly<Record<string, object>>) {
  const schemas = new Map<string, object>()

  /** @throws Error for two different schemas of one name. */
  function keep(name: string, schema: Json): Json {
    const known = schemas.get(name)
    if (known && !Bun.deepEquals(known, schema)) throw new Error(`Two schemas have the name ${name}`)
    schemas.set(name, schema)
    return { $ref: `#/components/schemas/${name}` }
  }

  function convert(value: unknown): Json {
    const name = (value as Json)[NAME]
    // The example of a body belongs to its media type.
    return typeof name === 'string'
      ? keep(name, convertHere({ ...(value as Json), examples: undefined }))
      : convertHere(value as Json)
  }

  function convertHere(value: Json): Json {
    const number = findNumber(value as unknown as TSchema)
    const source: Json = number ? { ...value, ...number, anyOf: undefined } : value
    const schema: Json = {}
    for (const [keyword, item] of Object.entries(source)) {
      if (item === undefined || INNER.has(keyword)) continue
      const plain = convertKeyword(keyword, item)
      if (plain !== undefined) schema[keyword] = plain
    }
    const values = Object.values((source['patternProperties'] ?? {}) as Json)
    if (values.length === 1) schema['additionalProperties'] = convert(values[0])
    if (source[ANY] === true) schema['additionalProperties'] = true
    if (source['default'] !== undefined) schema['description'] = tellDefault(source)
    return joinChoices(schema)
  }

  function convertKeyword(keyword: string, content: unknown): unknown {
    if (typeof content !== 'object' || content === null || DATA.has(keyword)) {
      // Answers may have further fields, and unknown fields of a request are ignored.
      return keyword === 'additionalProperties' ? undefined : content
    }
    if (keyword === 'properties') {
      return Object.fromEntries(Object.entries(content).map(([name, field]) => [name, convert(field)]))
    }
    return Array.isArray(content) ? content.map(convert) : convert(content)
  }

  for (const [name, schema] of Object.entries(given)) keep(name, convert(schema))

  return {
    convert,

    /** The schema of a whole body, under this name if it has none. Its first example becomes that of its media type. */
    convertBody(body: object, name: string): BodySchema {
      const { examples, ...rest } = body as Json
      const example = (examples as unknown[] | undefined)?.[0]
      const plain = convert(rest)
      const isBare = !('$ref' in plain) && ('properties' in plain || 'anyOf' in plain || 'items' in plain)
      return { schema: isBare ? keep(name, plain) : plain, ...(example !== undefined && { example }) }
    },

    /** All named schemas, in alphabetical order. */
    list: (): Record<string, object> =>
      Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

export type SchemaBook = ReturnType<typeof createSchemaBook>

/**
 * States a default in words. As a keyword it would make generated types require the field, and generated clients send it, in
 * place of the store's own defaults.
 */
const tellDefault = ({ description, default: usual }: Json): string =>
  [description, `Default: \`${typeof usual === 'string' ? usual : JSON.stringify(usual)}\`.`]
    .filter((words) => words !== undefined)
    .join(' ')

/** Writes a choice between words as an enum, and a value that may be null with a list of types. */
function joinChoices(schema: Json): Json {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const branches = anyOf.filter((branch: Json) => branch['type'] !== 'null') as Json[]
  const isNullable = branches.length < anyOf.length
  const [only] = branches
  const words = branches.map((branch) => branch['const'])
  if (words.every((word) => typeof word === 'string')) {
    return { ...rest, ...orNull({ type: 'string', enum: words }, isNullable) }
  }
  if (only && branches.length === 1 && typeof only['type'] === 'string') {
    return { ...orNull(only, isNullable), ...rest }
  }
  return schema
}

const orNull = (schema: Json, isNullable: boolean): Json =>
  isNullable
    ? {
        ...schema,
        type: [schema['type'], 'null'],
        ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }),
      }
    : schema
