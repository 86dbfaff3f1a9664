import { runEmbedderProcess } from '../../../src/embedder-process.ts'

/** What `src/main.ts` does for `embedder-process`, without the rest of the program. */
await runEmbedderProcess(process.argv.slice(2))
