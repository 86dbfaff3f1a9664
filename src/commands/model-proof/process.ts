import { runAsChild } from '../../platform/backup/child.ts'
import { dieFirst } from '../../platform/embedder/child/die-first.ts'
import { inspectModel } from '../../platform/embedder/inspect.ts'
import { hashModel } from '../../platform/embedder/model-files.ts'
import type { Made, ModelFacts, ProofOrder, ProofProgress } from '../../platform/models/proof.ts'
import { checkBundledModel } from '../../platform/native/model-folder.ts'
import { silenceNativeLibraries } from '../../platform/native/silence.ts'
import { explainModelError } from './explain.ts'

/** As the process for pictures has it: somebody waits, and searches come first. */
const NICENESS = 10

/** The process that tries a model: `model-process <order> <process id of the caller>`. */
export async function runModelProcess([text = '', caller]: readonly string[]): Promise<never> {
  const order = JSON.parse(text) as ProofOrder
  dieFirst()
  silenceNativeLibraries()
  await runAsChild<ProofProgress, Made | ModelFacts>(
    Number(caller),
    async (tell, stop) => {
      if (order.task === 'describe') return describe(order.dir)
      checkBundledModel(order.dir)
      // Loaded here, so that a hash needs no library.
      const { proveModel } = await import('./prove.ts')
      return proveModel(order.dir, order.makes, (progress) => {
        stop.throwIfAborted()
        tell(progress)
      })
    },
    explainModelError,
    NICENESS,
  )
  // Threads of the library may hang where a model has failed.
  process.exit()
}

async function describe(dir: string): Promise<ModelFacts> {
  const { dimension, family } = inspectModel(dir)
  return { hash: await hashModel(dir), dimension, family }
}
