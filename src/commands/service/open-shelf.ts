import { readDemoPicture } from '../../features/catalogue/demo/assets.ts'
import { DEMO_PRODUCTS } from '../../features/catalogue/demo/catalogue.ts'
import { inspectModel } from '../../platform/embedder/inspect.ts'
import { createModelProver } from '../../platform/models/proof.ts'
import { createModelShelf, type ModelShelf } from '../../platform/models/shelf.ts'
import { createStartCheck } from '../../platform/models/start-check.ts'
import { bundledModelDir, bundledModelHash, bundledModelName } from '../../platform/native/model-folder.ts'
import { ownCommand, ownEnvironment } from '../../platform/native/own-command.ts'

/** Pictures that a model is given before its memory is read. */
const SAMPLES = 4

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
