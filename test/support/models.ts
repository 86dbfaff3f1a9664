import type { KnownModel } from '../../src/platform/db/models.ts'
import type { Embedder } from '../../src/platform/embedder/embedder.ts'
import type { ModelSet } from '../../src/platform/models/model-set.ts'
import { fakeEmbedder } from './embedder.ts'

/** All stores are on one model, and none moves. */
export function oneModel(
  known: KnownModel,
  embedder: Embedder = fakeEmbedder(),
): Pick<ModelSet, 'inUse' | 'of' | 'comingOf' | 'listRunning'> {
  const inUse = { ...known, embedder }
  return { inUse, of: () => inUse, comingOf: () => undefined, listRunning: () => [inUse] }
}
