import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { t } from 'elysia'
import { ApiError } from '../core/errors.ts'
import { readIsoMoment } from '../core/moments.ts'
import { text } from './text-schema.ts'
import { validationError } from './validation.ts'

/** The parameters of a query that asks for one page. */
export const pageQuery = (limit: { default: number; maximum: number }) => ({
  limit: t.Optional(t.Integer({ minimum: 1, ...limit })),
  cursor: t.Optional(t.String({ description: '`next_cursor` of the previous page.' })),
})

/** The start of the next page, in the answer. */
const NextCursor = t.Union([t.String(), t.Null()], { description: 'null on the last page.' })

/** The fields that end every page of a list. */
export const PAGE_END = {
  next_cursor: NextCursor,
  warnings: t.Optional(
    t.Array(t.String(), { description: 'Parameters that this list does not know; absent without any.' }),
  ),
}

/** A UUID in a cursor, in the form of `Ids.uuid`. */
export const CursorId = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

interface Page<Row> {
  rows: Row[]
  nextCursor: string | null
}

/**
 * The cursors of one list: opaque to clients, checked when they come back, refused by every other list.
 *
 * A position must consist of public values, such as a time and an id. Row numbers differ between databases, so a client
 * could not go on when its store is moved to another one.
 *
 * @param list the name of the list and its order, which each cursor carries.
 * @param position the key of a row in the list's order.
 */
export function createCursors<Fields extends TProperties>(list: Record<string, string>, position: Fields) {
  type Position = Static<ReturnType<typeof Type.Object<Fields>>>
  const marks = Object.fromEntries(
    Object.entries(list).map(([name, value]): [string, TSchema] => [name, Type.Literal(value)]),
  )
  const compiled = TypeCompiler.Compile(
    Type.Object({ ...marks, ...position }, { additionalProperties: false }),
  )

  const write = (after: Position): string =>
    Buffer.from(JSON.stringify({ ...list, ...after })).toString('base64url')

  return {
    /** The cursor that goes on behind a position. */
    write,

    /** @throws ApiError `invalid_cursor`. */
    read(cursor: string | undefined): Position | undefined {
      if (cursor === undefined) return undefined
      const value = parsed(cursor)
      if (!compiled.Check(value)) throw invalidCursor()
      return value as unknown as Position
    },

    /** Cuts the found rows to a page. @param found up to `limit + 1` rows; the extra row shows that a next page exists. */
    page<Row>(found: readonly Row[], limit: number, toPosition: (row: Row) => Position): Page<Row> {
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      const hasMore = found.length > limit && last !== undefined
      return { rows, nextCursor: hasMore ? write(toPosition(last)) : null }
    },
  }
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

const invalidCursor = () => new ApiError('invalid_cursor', 'The cursor was not issued by this endpoint')

/** A moment in a query: ISO 8601 with its offset from UTC, or a date. */
export const moment = (description: string) =>
  text({
    // A time without an offset would mean a different moment on each machine. A raw + arrives as a space.
    pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+ -]\\d\\d:\\d\\d))?$',
    description,
    examples: ['2030-01-01T00:00:00Z'],
  })

/**
 * Reads a {@link moment} of a query.
 *
 * @param name the parameter.
 * @returns Unix ms.
 * @throws ApiError `validation_error` for a day or an hour that does not exist.
 */
export function readMoment(name: string, value: string): number {
  const ms = readIsoMoment(value.replace(' ', '+'))
  if (ms !== undefined) return ms
  const problem = { code: 'format', message: 'must be an existing date and time' }
  throw validationError([{ in: 'query', pointer: `/${name}`, ...problem }])
}

/** A moment in an answer: ISO 8601 in UTC, as `isoTime` writes it. */
export const Moment = t.String({ format: 'date-time' })

export const MomentOrNull = t.Union([Moment, t.Null()])
