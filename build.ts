/**
 * Compiles the program into one executable: `bun build.ts` for this machine, `bun build.ts <os>-<arch>` for another.
 * Options: `--model DIR` bundles another model of the same layout, `--outfile FILE` names the output.
 */
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable } from './scripts/build/executable.ts'
import { findTarget, nameThisMachine, TargetError } from './scripts/build/targets.ts'
import { generateAll } from './scripts/generate/index.ts'
import { bundledModelName } from './src/platform/native/model-folder.ts'

const root = import.meta.dir
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, outfile: { type: 'string' } },
})
const named = positionals[0]
const outfile = resolve(
  values.outfile ?? join(root, 'dist', named === undefined ? 'lookalike' : `lookalike-${named}`),
)
const modelDir = resolve(values.model ?? join(root, 'models', bundledModelName))

try {
  if (!existsSync(modelDir)) throw new TargetError(`No model in ${modelDir}`)
  const target = findTarget(named ?? nameThisMachine()).name
  await generateAll()
  await buildExecutable({
    root,
    entry: join(root, 'src/main.ts'),
    target,
    modelDir,
    outfile,
  })
  console.log(`${relative(process.cwd(), outfile)}  ${(statSync(outfile).size / 1_000_000).toFixed(1)} MB`)
} catch (error) {
  // An unsupported target needs no stack trace; any other error does.
  if (!(error instanceof TargetError)) throw error
  console.error(error.message)
  process.exit(1)
}
