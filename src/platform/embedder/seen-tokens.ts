import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** The tokens that occurred in the training of a model; what it makes of all others is a guess. */
export interface SeenTokens {
  has(id: number): boolean
}

/** `bits` has one bit for each token, in base64. A model of somebody else may list the ids instead. */
const SeenTokensFile = Type.Union([
  Type.Object({ bits: Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$' }) }),
  Type.Object({ tokens: Type.Array(Type.Integer({ minimum: 0, maximum: 10_000_000 })) }),
])

/** Packs ids as a bit for each, in base64. */
export function packTokens(ids: readonly number[]): string {
  const bits = new Uint8Array(ids.reduce((most, id) => Math.max(most, (id >> 3) + 1), 0))
  for (const id of ids) bits[id >> 3] = (bits[id >> 3] as number) | (1 << (id & 7))
  return Buffer.from(bits).toString('base64')
}

/**
 * Reads `seen_tokens.json` of a model's folder. It changes no vector, and so is no part of the model's fingerprint.
 *
 * @returns undefined for a model without the file.
 * @throws Error when it is malformed.
 */
export function readSeenTokens(modelDir: string): SeenTokens | undefined {
  const path = join(modelDir, 'seen_tokens.json')
  if (!existsSync(path)) return undefined
  const file = Value.Parse(SeenTokensFile, JSON.parse(readFileSync(path, 'utf8')))
  const bits = Buffer.from('bits' in file ? file.bits : packTokens(file.tokens), 'base64')
  return { has: (id) => ((bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0 }
}
