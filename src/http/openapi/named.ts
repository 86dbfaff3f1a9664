import type { TSchema } from '@sinclair/typebox'

/** Where a schema holds its name in the API's document. */
export const NAME = 'x-name'

/** Marks an object whose other keys mean something, such as metadata; elsewhere unknown keys are only let pass. */
export const ANY_KEY = { 'x-any-key': true, additionalProperties: true } as const

/**
 * Names a schema in the API's document, where everything then refers to `#/components/schemas/<name>`. Generated clients
 * give their type the same name, so a published name stays.
 *
 * A schema that is made of this one by spreading its `properties` has no name; a `t.Partial` of it needs a name of its own.
 *
 * @param example a body that works, for the API page; tests send it.
 */
export const named = <Schema extends TSchema>(name: string, schema: Schema, example?: object): Schema => ({
  ...schema,
  [NAME]: name,
  ...(example && { examples: [example] }),
})
