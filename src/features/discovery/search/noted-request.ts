import { type CommonSearch, common } from './schema.ts'

/** Parameters for which the store has a default, or a setting of its own. */
const SETTABLE = [
  ...['threshold', 'cutoff', 'category_boost', 'second_look'],
  ...['sold_out', 'rules', 'interpret'],
] as const

/** What the log keeps of a request so that it can be made again. */
export interface NotedRequest {
  /** The settable parameters that it named itself. */
  asked?: Record<string, unknown>
  /** The product whose picture it searched with, as a whole. */
  product_id?: string
}

/** Reads it from a body that has been checked. */
export function noteRequest(body: CommonSearch): NotedRequest {
  const said = body as Readonly<Record<string, unknown>>
  // A default of the schema stands in the body whether or not somebody named it.
  const named = SETTABLE.filter((name) => said[name] !== undefined && said[name] !== defaultOf(name))
  const { product_id, crop, box } = said
  const isWhole = typeof product_id === 'string' && crop === undefined && box === undefined
  return {
    ...(named.length > 0 && { asked: Object.fromEntries(named.map((name) => [name, said[name]])) }),
    ...(isWhole && { product_id }),
  }
}

const defaultOf = (name: string): unknown =>
  (common as Readonly<Record<string, { default?: unknown } | undefined>>)[name]?.default
