import type { TSchema } from '@sinclair/typebox'

/** Identifiers that a form or a template sends as nothing where there is none (contract 1.3). */
const IDS: readonly string[] = ['session_id', 'search_id', 'order_id', 'image_id']

/** Takes the identifiers out of a body that are null or empty, where its schema does not ask for them. */
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
