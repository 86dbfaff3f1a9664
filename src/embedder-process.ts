import { getPriority, setPriority } from 'node:os'
import { stdioChannel } from './platform/embedder/child/channel.ts'
import { dieFirst } from './platform/embedder/child/die-first.ts'
import { checkBundledModel } from './platform/native/model-folder.ts'
import { silenceNativeLibraries } from './platform/native/silence.ts'

/**
 * Pictures take all cores for tens of milliseconds. Where cores are scarce the service's own loop and the texts, which
 * need one for a moment, go before them.
 */
const VISION_NICENESS = 10

/**
 * A process that decodes pictures or embeds texts for the service which started it (`embedder-process <role>
 * <model folder> <threads> <tested|untested>`). Ends when its stdin does, so it never outlives the service.
 */
export async function runEmbedderProcess(argv: readonly string[]): Promise<never> {
  const [role, modelDir = '', threads = '1', tested] = argv
  dieFirst()
  const isTested = tested === 'tested'
  const channel = stdioChannel()
  try {
    // The service has put it into the environment already; this holds for whoever starts the process otherwise.
    silenceNativeLibraries()
    checkBundledModel(modelDir)
    // Loaded here and not above: no other command of the program pays for the model's library.
    if (role === 'text') {
      const { runTextProcess } = await import('./platform/embedder/child/text-process.ts')
      await runTextProcess({ modelDir, isTested, channel })
    } else if (role === 'vision') {
      // Threads inherit it, so it comes before any is started.
      // Whoever starts the service still nicer has said enough, and going back needs a right.
      if (getPriority() < VISION_NICENESS) setPriority(VISION_NICENESS)
      const { runVisionProcess } = await import('./platform/embedder/child/vision-process.ts')
      await runVisionProcess({ modelDir, isTested, channel, threads: Number(threads) })
    } else {
      throw new Error(`Unknown role ${role}`)
    }
  } catch (error) {
    channel.send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  }
  process.exit(0)
}
