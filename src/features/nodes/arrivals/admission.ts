import { ApiError } from '../../../core/errors.ts'
import { findSlugProblem } from '../../../core/slugs.ts'
import { sizeInWords } from '../../../core/text.ts'
import type { ArrivingMoveInput } from '../protocol/schema.ts'
import type { ArrivalDeps } from './world.ts'

/** Stores that may be on their way here at a time. */
const ARRIVING_MAX = 4
/** What a store takes beside its pictures and rows, while the log of the database grows. */
const SPARE_BYTES = 256 * 1024 * 1024
/** Pictures that a machine embeds in a second, if it has nothing else to do. */
const EMBEDDED_PER_SECOND = 10

type Announced = ArrivingMoveInput['store']

const refuse = (reason: string, message: string): ApiError =>
  new ApiError('conflict', message, { details: { reason } })

/** Judges whether a store may come. Each refusal is one sentence, and leaves nothing. */
export function createAdmission(deps: ArrivalDeps) {
  const { queries, storeRows, plans } = deps

  function demandVersion({ version, schema }: ArrivingMoveInput): void {
    if (schema === deps.schemaVersion) return
    throw schema > deps.schemaVersion
      ? refuse(
          'older',
          `This node runs ${deps.version}, and the store comes from ${version}: upgrade this node first`,
        )
      : refuse(
          'newer',
          `The store comes from ${version}, and this node runs ${deps.version}: upgrade the other node first`,
        )
  }

  /** @throws ApiError for what is taken here. Call it again in the transaction that takes it. */
  function demandFree({ id, slug }: Announced): void {
    const fault = findSlugProblem(slug)
    if (fault) throw refuse('slug', `The slug of the store cannot be had here: ${fault}`)
    const moved = storeRows.findMovedBySlug(slug)
    const other = queries.findArrivingBySlug(slug)
    const isTaken =
      storeRows.findStoreBySlug(slug) !== undefined ||
      (moved !== undefined && moved.id !== id) ||
      (other !== undefined && other.storeId !== id) ||
      (queries.isAwaitedSlug(slug) && other === undefined && queries.findArriving(id) === undefined)
    if (isTaken)
      throw refuse(
        'slug',
        `There is a store "${slug}" on this node already: give one of the two another slug`,
      )
  }

  function demandModels({ models }: Announced): void {
    const known = new Map(deps.listModels().map((model) => [model.hash, model]))
    const liar = models.find(({ hash, dimension }) => (known.get(hash)?.dimension ?? dimension) !== dimension)
    if (liar) throw refuse('model', `The vectors of ${liar.id} have another length here`)
  }

  return {
    demandFree,

    /** @throws ApiError `conflict`, with the reason in its details. */
    async demand(input: ArrivingMoveInput): Promise<{ freeBytes: number }> {
      const { store } = input
      demandVersion(input)
      if (!Object.hasOwn(plans, store.plan))
        throw refuse('plan', `This node has no plan "${store.plan}": move the store to another plan first`)
      demandFree(store)
      demandModels(store)
      const freeBytes = await deps.readFreeDiskBytes()
      const needed = 2 * store.bytes + SPARE_BYTES
      if (needed > freeBytes)
        throw refuse(
          'room',
          `The store needs up to ${sizeInWords(needed)}, and ${sizeInWords(freeBytes)} are free on this node`,
        )
      return { freeBytes }
    },

    /** @throws ApiError `conflict` if too many stores are on their way. */
    demandPlace(storeId: string): void {
      const others = queries.listArriving().filter((move) => move.storeId !== storeId)
      if (others.length >= ARRIVING_MAX)
        throw refuse(
          'busy',
          `${ARRIVING_MAX} stores are on their way to this node already: wait until one has arrived`,
        )
    },

    /** Whether another model makes the vectors here. */
    reembeds: ({ models }: Announced): boolean =>
      models.some(({ hash }) => hash !== deps.models.inUse.embedder.model.hash),

    /** About how long that takes, in seconds. */
    estimate: ({ products }: Announced): number => Math.ceil(products / EMBEDDED_PER_SECOND),
  }
}
