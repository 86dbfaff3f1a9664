import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { UploadedFile, upload } from '../../src/http/schema.ts'
import { text } from '../../src/http/text-schema.ts'
import { findProblems, validationError } from '../../src/http/validation.ts'

const told = (schema: Parameters<typeof findProblems>[0], value: unknown) =>
  findProblems(schema, value, 'body').map(({ pointer, code, message }) => `${pointer} ${code}: ${message}`)

describe('one problem, one line (contract 7.2)', () => {
  const choice = t.Union([t.Literal('a'), t.Literal('b')])
  test.each([
    ['required', t.Object({ x: t.String() }), {}, '/x required: is required'],
    ['a wrong type', t.Object({ x: t.String() }), { x: 1 }, '/x type: must be a string'],
    ['an article', t.Object({ x: Type.Integer() }), { x: 'a' }, '/x type: must be an integer'],
    ['a fraction', Type.Integer(), 1.5, ' type: must be an integer'],
    ['null', t.Object({ x: t.Object({}) }), { x: null }, '/x type: must be an object'],
    ['a list for an object', t.Object({}), [], ' type: must be an object'],
    ['too small', t.Number({ minimum: 0 }), -1, ' min: must be at least 0'],
    ['too large', Type.Integer({ maximum: 100 }), 101, ' max: must be at most 100'],
    ['too short', text({ minLength: 1 }), '', ' min_length: must have at least 1 character'],
    ['shorter', text({ minLength: 2 }), '', ' min_length: must have at least 2 characters'],
    ['too long', text({ maxLength: 2 }), 'abc', ' max_length: must have at most 2 characters'],
    ['too few', t.Array(t.String(), { minItems: 1 }), [], ' min_items: must have at least 1 item'],
    ['too many', t.Array(t.String(), { maxItems: 1 }), ['a', 'b'], ' max_items: must have at most 1 items'],
    ['a pattern', text({ pattern: '^a$', description: 'an a' }), 'b', ' pattern: has the wrong format: an a'],
    [
      'a reserved word',
      text({ not: { enum: ['a', 'b'] } }),
      'a',
      ' reserved: is reserved; choose a value other than a, b',
    ],
    ['no text', text({ maxLength: 2 }), 123, ' type: must be a string'],
    ['a format', t.String({ format: 'date-time' }), 'now', ' format: must be a valid date-time'],
    ['a choice', choice, 'c', ' enum: must be one of "a", "b"'],
    ['a choice of another type', choice, 1, ' enum: must be one of "a", "b"'],
    ['a literal', t.Literal('a'), 'b', ' enum: must be "a"'],
    ['a file', upload('picture'), 'text', ' type: must be a file'],
    ['closed', t.Object({}, { additionalProperties: false }), { y: 1 }, '/y unknown: is unknown'],
    ['two types', t.Union([t.String(), t.Number()]), true, ' type: must be a string or number'],
  ])('%s', (_, schema, value, line) => {
    expect(told(schema, value)).toEqual([line])
  })

  test('a number beyond doubles is not told as "number instead of number"', () => {
    expect(findProblems(t.Number(), Infinity, 'body')).toMatchObject([
      { expected: 'number', received: 'number out of range' },
    ])
  })

  test('keys with / and ~ are escaped in pointers (RFC 6901)', () => {
    expect(told(t.Object({ 'a/b~c': t.String() }), { 'a/b~c': 1 })).toEqual([
      '/a~1b~0c type: must be a string',
    ])
  })

  test('items of a list have their index in the pointer', () => {
    expect(told(t.Object({ tags: t.Array(t.String()) }), { tags: ['a', 1, 'b', null] })).toEqual([
      '/tags/1 type: must be a string',
      '/tags/3 type: must be a string',
    ])
  })
})

describe('all problems at once', () => {
  const schema = t.Object({ a: t.String(), b: t.Number({ minimum: 0 }), c: t.Optional(t.Boolean()) })

  test('in the order of the schema, one a field', () => {
    expect(told(schema, { c: 'no', b: -1 })).toEqual([
      '/a required: is required',
      '/b min: must be at least 0',
      '/c type: must be a boolean',
    ])
  })

  test('never more than 50, also in an answer that was given more', () => {
    const value = { tags: Array.from({ length: 500 }, () => 1) }
    const problems = findProblems(t.Object({ tags: t.Array(t.String()) }), value, 'body')
    expect(problems).toHaveLength(50)
    expect(validationError([...problems, ...problems]).extras.details?.['errors']).toHaveLength(50)
  })

  test('no value is ever repeated, only names of fields, types and bounds', () => {
    const secret = 'hunter2'
    const schemas = t.Object({
      a: t.Number(),
      b: text({ maxLength: 3 }),
      c: text({ pattern: '^x$' }),
      d: t.Union([t.Literal('a'), t.Literal('b')]),
      e: t.String({ format: 'email' }),
      f: t.Array(t.Object({ g: t.Number() })),
    })
    const value = { a: secret, b: secret, c: secret, d: secret, e: secret, f: [{ g: secret }, secret] }
    const problems = findProblems(schemas, value, 'body')
    expect(problems).toHaveLength(7)
    expect(
      JSON.stringify(validationError(problems).extras) + validationError(problems).message,
    ).not.toContain(secret)
  })
})

describe('lists that are too long', () => {
  const walked = (length: number) => {
    let looks = 0
    const list = Array.from({ length }, () => 'a')
    return {
      list: new Proxy(list, {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) looks++
          return Reflect.get(target, key, receiver)
        },
      }),
      looks: () => looks,
    }
  }

  test('are told by their length; of the items only those that might fit are looked at', () => {
    const { list, looks } = walked(10_000)
    const schema = t.Object({ a: t.Object({ b: t.Array(t.String(), { maxItems: 3 }) }) })
    expect(told(schema, { a: { b: list } })).toEqual(['/a/b max_items: must have at most 3 items'])
    expect(looks()).toBeLessThan(20)
  })

  test('also lists in lists, and those of the alternative that speaks', () => {
    const inner = t.Array(Type.Integer(), { maxItems: 1 })
    expect(told(t.Array(inner, { maxItems: 2 }), [[1], [1, 2, 3], [], []])).toEqual([
      ' max_items: must have at most 2 items',
      '/1 max_items: must have at most 1 items',
    ])
    const { list, looks } = walked(10_000)
    const union = t.Union([t.Object({ x: t.Array(t.String(), { maxItems: 2 }) }), t.String()])
    expect(told(union, { x: list })).toEqual(['/x max_items: must have at most 2 items'])
    expect(looks()).toBeLessThan(30_000)
  })

  test('what was sent is left as it is', () => {
    const sent = { tags: [1, 2, 3] }
    told(t.Object({ tags: t.Array(t.Number(), { maxItems: 1 }) }), sent)
    expect(sent).toEqual({ tags: [1, 2, 3] })
  })
})

describe('of a union the nearest alternative speaks', () => {
  const json = t.Object({ id: t.String(), image_url: t.String() })
  const form = t.Object({ id: t.String(), image: upload('picture') })
  const nested = t.Object({ source: t.Union([json, t.Null(), t.Array(t.String())]) })

  test.each([
    [
      'the first of equals',
      t.Union([json, form]),
      {},
      ['/id required: is required', '/image_url required: is required'],
    ],
    [
      'the one that lacks least',
      t.Union([json, form]),
      { id: 1, image: new UploadedFile(new Uint8Array()) },
      ['/id type: must be a string'],
    ],
    [
      'the object for an object',
      nested,
      { source: { id: 'x' } },
      ['/source/image_url required: is required'],
    ],
    ['the list for a list', nested, { source: ['a', 1] }, ['/source/1 type: must be a string']],
    [
      'nobody for a strange type',
      nested,
      { source: true },
      ['/source type: must be an object or null or array'],
    ],
    [
      'bounds of the fitting type',
      t.Union([Type.Integer({ minimum: 1 }), t.Null()]),
      0,
      [' min: must be at least 1'],
    ],
    [
      'the inner of a union in a union',
      t.Union([t.Union([json, form]), t.Null()]),
      { id: 'a' },
      ['/image_url required: is required'],
    ],
    ['no object for null', t.Union([json, form]), null, [' type: must be an object']],
  ])('%s', (_, schema, value, lines) => {
    expect(told(schema, value)).toEqual(lines)
  })
})

describe('the message of the whole answer', () => {
  test('is the first problem with its field in dots', () => {
    const problems = findProblems(
      t.Object({ metadata: t.Object({ price: t.Number() }) }),
      { metadata: { price: 'x' } },
      'body',
    )
    expect(validationError(problems).message).toBe('metadata.price must be a number')
  })

  test('names the place when the whole is wrong', () => {
    expect(validationError(findProblems(t.Object({}), null, 'query')).message).toBe(
      'the query must be an object',
    )
  })

  test('says something when nobody knows what is wrong', () => {
    expect(validationError([]).message).toBe('The request does not match the schema')
  })

  test('a path that is no UTF-8 is told as such', () => {
    expect(findProblems(t.Object({ id: t.String() }), { id: null }, 'path')).toEqual([
      { in: 'path', pointer: '/id', code: 'encoding', message: 'must be percent-encoded UTF-8' },
    ])
  })
})
