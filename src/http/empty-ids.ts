import type { TSchema } from '@sinclair/typebox'

/** Identifiers for which a form or a template sends null or an empty text if it has none (contract 1.3). */
const IDS: readonly string[] = ['session_id', 'search_id', 'order_id', 'image_id']

/** Removes null and empty identifiers from a body whose schema does not require them. */
export function dropEmptyIds(schema: TSchema, body: unknown): void {
  const properties = schema['properties'] as Record<string, TSchema> | undefined
  if (!properties || typeof body !== 'object' || body === null) return
  const required = (schema['required'] ?? []) as string[]
  const fields = body as Record<string, unknown>
  for (const name of IDS) {
    if (!Object.hasOwn(properties, name) || required.includes(name)) continue
    if (Object.hasOwn(fields, name) && isEmpty(fields[name])) delete fields[name]
  }
}

export const isEmpty = (value: unknown): value is null | '' => value === null || value === ''
