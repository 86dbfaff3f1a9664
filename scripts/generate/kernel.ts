/**
 * Compiles the search kernel to dist/generated/scan.wasm, and bundles the threads that run it to scan-thread.js:
 * `bun scripts/generate/kernel.ts`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import asc from 'assemblyscript/asc'

const root = join(import.meta.dir, '../..')
const outFile = 'dist/generated/scan.wasm'

mkdirSync(join(root, 'dist/generated'), { recursive: true })
const { error, stderr } = await asc.main([
  'src/platform/vectors/kernel/scan.ts',
  ...['--baseDir', root, '--outFile', outFile],
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  // The program owns the memories, which its threads share; scanner.ts lays out blocks and scratch space.
  ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
])
if (error) throw new Error(`The kernel failed to compile:\n${stderr.toString()}`, { cause: error })
console.log(`${outFile}: ${Bun.file(join(root, outFile)).size} bytes`)

// One file without imports, because the executable embeds it as it is.
const thread = await Bun.build({
  entrypoints: [join(root, 'src/platform/vectors/scan-thread.ts')],
  outdir: join(root, 'dist/generated'),
  target: 'bun',
  minify: { whitespace: true, syntax: true },
})
if (!thread.success) throw new AggregateError(thread.logs, 'The scan threads failed to bundle')
console.log(`dist/generated/scan-thread.js: ${thread.outputs[0]?.size} bytes`)
