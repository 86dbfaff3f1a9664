import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { readDemoPicture } from '../../features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../features/catalogue/demo/catalogue.ts'
import { bringModel } from '../../platform/models/bring.ts'
import { inspectModel } from '../../platform/models/folder-files.ts'
import { createModelEgress } from '../../platform/models/hub-egress.ts'
import { createModelProver } from '../../platform/models/proof.ts'
import { createModelShelf, type ModelShelf } from '../../platform/models/shelf.ts'
import { createStartCheck } from '../../platform/models/start-check.ts'
import { bundledModelDir, bundledModelHash, bundledModelName } from '../../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'
import type { Ports } from '../../ports.ts'
import { parseNetworks } from './open-ports.ts'

/** Pictures that a model is given before its memory is read. */
const SAMPLES = 4

/** Downloads known models, and puts them on the shelf. */
export function createModelFetcher(config: Config, dataDir: string, shelf: ModelShelf): Ports['fetchModel'] {
  const egress = createModelEgress({
    allowCidrs: parseNetworks(config, 'FETCH_ALLOW_CIDRS'),
    ...{ isOffline: config.OFFLINE, clock: systemClock },
  })
  return async (name, tell, signal) => {
    const options = { dataDir, shelf, egress, isTrusted: false, isOffline: config.OFFLINE, tell, signal }
    await bringModel({ name }, options)
  }
}

/** Opens the models of a data folder. Nothing is read before it is asked for. */
export function openShelf(dataDir: string): ModelShelf {
  const env = ownEnvironment()
  const readSamples = async () => ({
    pictures: await Promise.all(
      DEMO_PRODUCTS.slice(0, SAMPLES).map(({ picture }) => readDemoPicture(picture)),
    ),
    text: 'red running shoes',
  })
  return createModelShelf({
    dataDir,
    bundled: { name: bundledModelName, dir: bundledModelDir(), hash: bundledModelHash() },
    inspect: inspectModel,
    prover: createModelProver(ownCommand('model-process'), env),
    start: createStartCheck(ownCommand('embedder-process'), env, readSamples),
  })
}
