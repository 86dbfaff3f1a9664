import { describe, expect, test } from 'bun:test'
import { Kind, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { text } from '../../src/http/text-schema.ts'
import { testApp } from '../support/app.ts'

const fits = (schema: ReturnType<typeof text>, value: unknown) => Value.Check(schema, value)

describe('lengths are characters (code points), as OpenAPI means them', () => {
  test.each([
    ['two emoji', '👟🥿', true],
    ['three emoji', '👟🥿👠', false],
    ['three letters', 'abc', false],
    ['two letters', 'ab', true],
    ['one letter', 'a', true],
    // Nine code points, drawn as one picture.
    ['a family', '👨‍👩‍👧‍👦', false],
    ['half a pair', '\ud800', true],
  ])('at most 2: %s', (_, value, isFitting) => {
    expect(fits(text({ maxLength: 2 }), value)).toBe(isFitting)
  })

  test.each([
    ['👟', false],
    ['👟a', true],
    ['ab', true],
    ['', false],
  ])('at least 2: %p', (value, isFitting) => {
    expect(fits(text({ minLength: 2 }), value)).toBe(isFitting)
  })
})

test('nothing but a string is a text, whatever the bounds', () => {
  for (const value of [1, null, undefined, [], {}, true]) expect(fits(text({}), value)).toBe(false)
  expect(fits(text({}), '')).toBe(true)
})

test('pattern and reserved words hold together', () => {
  const schema = text({ pattern: '^[a-z]+$', not: { enum: ['demo'] } })
  expect(['shoe', 'demos', 'demo', 'Shoe'].map((value) => fits(schema, value))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('no schema of a request bounds a string of TypeBox’s own', async () => {
  const app = testApp()
  const bounded: unknown[] = []
  const look = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    const { minLength, maxLength, pattern, [Kind]: kind } = schema as TSchema
    if (kind === 'String' && (minLength ?? maxLength ?? pattern) !== undefined) bounded.push(schema)
    for (const part of Object.values(schema)) look(part)
  }
  const routes = app.http.routes as unknown as {
    hooks: { body?: unknown; query?: unknown; params?: unknown }
  }[]
  for (const { hooks } of routes) for (const part of [hooks.body, hooks.query, hooks.params]) look(part)
  expect(bounded).toEqual([])
  await app.close()
})
