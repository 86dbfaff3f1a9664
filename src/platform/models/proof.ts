import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OperatorError } from '../../core/operator-error.ts'
import { runChild } from '../backup/child.ts'
import type { Calibration } from '../embedder/embedder.ts'
import { CalibrationFile, GoldenFile } from '../embedder/model-files.ts'

const Share = Type.Number({ minimum: -1, maximum: 1 })

/** Medians of the scores of pairs that are known: what a score means with this model. */
const Fit = Type.Object({
  same_picture: Type.Number(),
  same_kind: Type.Number(),
  other_kind: Type.Number(),
  own_words: Type.Number(),
  other_words: Type.Number(),
  /** How often two pictures of a kind are more alike than two of different kinds: 0.5 is chance. */
  pictures_told_apart: Type.Number(),
  /** How often words fit a picture of what they name better than another one: 0.5 is chance. */
  words_told_apart: Type.Number(),
})

const Proof = Type.Object({
  accuracy: Type.Object({ pictures: Share, texts: Share, fast: Type.Union([Share, Type.Null()]) }),
  speed: Type.Object({ pictureMs: Type.Number(), textMs: Type.Number() }),
  fit: Fit,
  languages: Type.Array(Type.String({ pattern: '^[a-z]{2}$' }), { maxItems: 100 }),
  warnings: Type.Array(Type.String({ maxLength: 500 }), { maxItems: 20 }),
})
export type Proof = Static<typeof Proof>

const MadeAnswer = Type.Object({
  proof: Proof,
  calibration: Type.Optional(CalibrationFile),
  golden: Type.Optional(GoldenFile),
})

/** What became of a model, and what was made for its folder. */
export interface Made {
  proof: Proof
  calibration?: Calibration
  golden?: GoldenFile
}

/** Which of `calibration.json` and `golden.json` are made. */
export type Makes = 'nothing' | 'missing' | 'all'

export const ModelFacts = Type.Object({
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  dimension: Type.Integer({ minimum: 1, maximum: 8192 }),
  family: Type.Union(
    (['clip', 'mobileclip', 'siglip', 'siglip2'] as const).map((family) => Type.Literal(family)),
  ),
})
export type ModelFacts = Static<typeof ModelFacts>

/** A model that did not work when it was tried, and would not the next time. */
export class BrokenModel extends OperatorError {}

/** What the process is asked for. */
export type ProofOrder = { task: 'describe'; dir: string } | { task: 'prove'; dir: string; makes: Makes }

export interface ProofProgress {
  step: 'load' | 'measure' | 'fit'
  done: number
  total: number
}

/** Reads and tries models in processes of their own. */
export interface ModelProver {
  /** Hashes a folder. @throws OperatorError for one that holds no model. */
  describe(dir: string, signal: AbortSignal): Promise<ModelFacts>
  /** Loads a model, measures it, and makes what its folder lacks. @throws OperatorError for one that does not work. */
  prove(
    dir: string,
    order: { makes: Makes; tell(progress: ProofProgress): void; signal: AbortSignal },
  ): Promise<Made>
}

export interface ProofLimits {
  /** Both halves of a model are in memory, and what its library needs to load them. */
  memoryBytesMax: number
  /** A model that takes longer for one picture could not serve either. */
  silentMs: number
  wholeMs: number
}

const LIMITS: ProofLimits = {
  memoryBytesMax: 4 * 1024 * 1024 * 1024,
  silentMs: 60_000,
  wholeMs: 15 * 60_000,
}

/** @param command a command line that runs the model's process; the order and this process are appended. */
export function createModelProver(
  command: readonly string[],
  env: Record<string, string>,
  limits: Partial<ProofLimits> = {},
): ModelProver {
  const run = async (order: ProofOrder, tell: (progress: ProofProgress) => void, signal: AbortSignal) => {
    const ended = await runChild<ProofProgress, unknown>(
      [...command, JSON.stringify(order), String(process.pid)],
      { env, tell, stop: signal, limits: { ...LIMITS, ...limits } },
    ).catch((error) => {
      signal.throwIfAborted()
      throw error instanceof OperatorError ? new BrokenModel(error.message) : error
    })
    if ('made' in ended) return ended.made
    signal.throwIfAborted()
    throw new OperatorError(
      `The model's process ended while it was tried (${ended.killedBy}): its files are damaged, or it needs more than this machine has.`,
    )
  }
  return {
    describe: async (dir, signal) => read(ModelFacts, await run({ task: 'describe', dir }, () => {}, signal)),
    prove: async (dir, { makes, tell, signal }) =>
      read(MadeAnswer, await run({ task: 'prove', dir, makes }, tell, signal)),
  }
}

/** A process that native code has taken over may say anything. */
function read<Schema extends typeof ModelFacts | typeof MadeAnswer>(
  schema: Schema,
  said: unknown,
): Static<Schema> {
  if (Value.Check(schema, said)) return said as Static<Schema>
  throw new OperatorError(
    'The process that tried the model gave an answer of an unknown form: its files are damaged.',
  )
}
