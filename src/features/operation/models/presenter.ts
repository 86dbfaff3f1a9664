import type { KnownModel } from '../../../platform/models/known.ts'
import type { ShelvedModel } from '../../../platform/models/shelf.ts'
import type { ModelsStatus } from '../../catalogue/model-moves/schema.ts'
import type { AdminModel } from './schema.ts'

/** Lists the models: the one in use, the others that are here, and those that could be fetched. */
export function listModels(
  here: readonly ShelvedModel[],
  known: readonly KnownModel[],
  inUse: Pick<AdminModel, 'name' | 'dimension'>,
): AdminModel[] {
  const models = here.map((model) => describe(model, known, inUse.name))
  // MODEL_DIR may name any folder.
  if (!here.some(({ name }) => name === inUse.name)) models.push({ ...EMPTY, ...inUse, state: 'in_use' })
  const names = new Set(models.map(({ name }) => name))
  const rest = known.filter(({ name }) => !names.has(name)).map(describeKnown)
  return [...models.sort((a, b) => rank(a) - rank(b)), ...rest]
}

/** Says what a model is needed for; undefined for one that may go. */
export function findUse(name: string, { in_use, move, former }: ModelsStatus): string | undefined {
  if (name === in_use) return 'it is in use'
  if (move?.state === 'running' && [move.from, move.to].includes(name)) return 'a move needs it'
  return name === former?.name ? 'it is the way back: confirm the model in use first' : undefined
}

const EMPTY = {
  ...{ is_bundled: false, family: null, dimension: null, bytes: null, license: null, suits: null },
  ...{ languages: null, status: null, memory_bytes: null, picture_ms: null, text_ms: null, problem: null },
}

/** Those that are here, the one in use before the others. */
const rank = ({ state }: AdminModel): number => (state === 'in_use' ? 0 : state === 'here' ? 1 : 2)

function describe(model: ShelvedModel, known: readonly KnownModel[], inUse: string): AdminModel {
  const { name, family, dimension, bytes, memoryBytes, problem } = model
  const facts = known.find((one) => one.name === name)
  return {
    ...(facts ? describeKnown(facts) : EMPTY),
    ...{ name, family, dimension, bytes, is_bundled: model.isBundled, problem: problem ?? null },
    // Measured on this machine when it was added.
    ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
    state: name === inUse ? 'in_use' : problem === undefined ? 'here' : 'broken',
  }
}

const describeKnown = (model: KnownModel): AdminModel => ({
  ...EMPTY,
  name: model.name,
  state: 'known',
  dimension: model.dimension,
  bytes: model.bytes,
  license: model.license,
  suits: model.suits,
  languages: [...model.languages],
  status: model.status,
  memory_bytes: model.memoryBytes,
  picture_ms: model.pictureMs,
  text_ms: model.textMs,
})
