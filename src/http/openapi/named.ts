import type { TSchema } from '@sinclair/typebox'

/** The key under which a schema holds its name in the API's document. */
export const NAME = 'x-name'

/** Marks an object whose other keys have a meaning, such as metadata; elsewhere unknown keys are ignored. */
export const ANY_KEY = { 'x-any-key': true, additionalProperties: true } as const

/**
 * Names a schema in the API's document, which then refers to it as `#/components/schemas/<name>`. Generated clients
 * give their type the same name, so a published name stays.
 *
 * A schema made by spreading its `properties` has no name; a `t.Partial` of it needs its own name.
 *
 * @param example a body that works, for the API page; tests send it.
 */
export const named = <Schema extends TSchema>(name: string, schema: Schema, example?: object): Schema => ({
  ...schema,
  [NAME]: name,
  ...(example && { examples: [example] }),
})
