/**
 * Compiles the program into one executable: `bun build.ts` for this machine, `bun build.ts <os>-<arch>` for another.
 * Options: `--model DIR` bundles another model of the same layout, `--outfile FILE` chooses the place.
 */
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable } from './scripts/build/executable.ts'
import { TargetError, targetNamed, thisMachine } from './scripts/build/targets.ts'
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
  if (!existsSync(modelDir)) throw new TargetError(`There is no model in ${modelDir}`)
  const target = targetNamed(named ?? thisMachine()).name
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
  // A target we cannot serve is a plain answer; anything else is a fault whose trace is wanted.
  if (!(error instanceof TargetError)) throw error
  console.error(error.message)
  process.exit(1)
}
