import { stdioChannel } from './platform/embedder/child/channel.ts'

/**
 * A process that decodes pictures or embeds texts for the service which started it (`embedder-process <role>
 * <model folder> <threads>`). Ends when its stdin does, so it never outlives the service.
 */
export async function runEmbedderProcess(argv: readonly string[]): Promise<never> {
  const [role, modelDir = '', threads = '1'] = argv
  const channel = stdioChannel()
  try {
    // Loaded here and not above: the process for texts never maps the picture decoder into its memory.
    if (role === 'text') {
      const { runTextProcess } = await import('./platform/embedder/child/text-process.ts')
      await runTextProcess(modelDir, channel)
    } else if (role === 'vision') {
      const { runVisionProcess } = await import('./platform/embedder/child/vision-process.ts')
      await runVisionProcess(modelDir, Number(threads), channel)
    } else {
      throw new Error(`Unknown role ${role}`)
    }
  } catch (error) {
    channel.send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  }
  process.exit(0)
}
