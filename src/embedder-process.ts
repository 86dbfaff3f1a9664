import { createStdioChannel } from './platform/embedder/child/channel.ts'
import { dieFirst } from './platform/embedder/child/die-first.ts'
import { giveWay } from './platform/embedder/child/give-way.ts'
import { checkBundledModel } from './platform/native/model-folder.ts'
import { silenceNativeLibraries } from './platform/native/silence.ts'

/**
 * Pictures occupy all cores for tens of milliseconds. Where cores are scarce, the service's event loop and the texts,
 * which need a core only briefly, take precedence.
 *
 * Of a core that both want, pictures get 10 %: enough that neither a constant stream of searches nor other programs of the machine
 * stop them. With a niceness of 15 they would get 3 %, and beside two busy programs uploads then waited longer than they may.
 */
const VISION_NICENESS = 10

/**
 * Runs a process that decodes pictures or embeds texts for the service that started it (`embedder-process <role>
 * <model folder> <threads> <tested|untested>`). It ends when its stdin closes, so it never outlives the service.
 */
export async function runEmbedderProcess(argv: readonly string[]): Promise<never> {
  const [role, modelDir = '', threads = '1', tested] = argv
  dieFirst()
  const isTested = tested === 'tested'
  const channel = createStdioChannel()
  try {
    // The service sets these variables too; this covers a process that was started by hand.
    silenceNativeLibraries()
    checkBundledModel(modelDir)
    // Loaded here, so that no other command pays for the model's library.
    if (role === 'text') {
      const { runTextProcess } = await import('./platform/embedder/child/text-process.ts')
      await runTextProcess({ modelDir, isTested, channel })
    } else if (role === 'vision') {
      giveWay(VISION_NICENESS)
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
