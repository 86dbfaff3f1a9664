/** Compiles the search kernel to dist/generated/scan.wasm: `bun scripts/generate/kernel.ts`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import asc from 'assemblyscript/asc'

const root = join(import.meta.dir, '../..')
const outFile = 'dist/generated/scan.wasm'

mkdirSync(join(root, 'dist/generated'), { recursive: true })
const { error, stderr } = await asc.main([
  'src/platform/vectors/kernel/scan.ts',
  ...['--baseDir', root, '--outFile', outFile],
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'],
  // The program owns the memory; scanner.ts lays out blocks and scratch space.
  ...['--importMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
])
if (error) throw new Error(`The kernel failed to compile:\n${stderr.toString()}`, { cause: error })
console.log(`${outFile}: ${Bun.file(join(root, outFile)).size} bytes`)
