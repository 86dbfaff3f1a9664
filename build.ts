/**
 * Compiles the program into one executable: `bun build.ts` for this machine, `bun build.ts <os>-<arch>` for another.
 * Options: `--model DIR` bundles another model of the same layout, `--litestream` adds the program that copies databases
 * (linux-x64), `--release-key FILE` makes `lookalike upgrade` demand versions signed with this public key of minisign, `--outfile FILE` names the output. An executable for this
 * machine with another model is also tried: `scripts/smoke.ts` runs it alone in an empty folder.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable } from './scripts/build/executable.ts'
import { readPublicKey } from './scripts/build/release-key.ts'
import { findTarget, nameThisMachine, TargetError } from './scripts/build/targets.ts'
import { generateAll } from './scripts/generate/index.ts'
import { writeNoticesWith } from './scripts/generate/notices.ts'
import { inspectModel } from './src/platform/embedder/inspect.ts'
import { UnusableModel } from './src/platform/embedder/model-layout.ts'
import { bundledModelName } from './src/platform/native/model-folder.ts'

const root = import.meta.dir
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    litestream: { type: 'boolean', default: false },
    'release-key': { type: 'string' },
    outfile: { type: 'string' },
  },
})
const named = positionals[0]
const usualModel = join(root, 'models', bundledModelName)
const modelDir = resolve(values.model ?? usualModel)
const isOther = modelDir !== usualModel
const outfile = resolve(values.outfile ?? join(root, 'dist', nameOutput()))

try {
  if (!existsSync(modelDir)) throw new TargetError(`No model in ${modelDir}`)
  const target = findTarget(named ?? nameThisMachine()).name
  inspectModel(modelDir)
  await generateAll()
  const notices = isOther ? join(root, 'dist', 'notices-of-other-model.txt.gz') : undefined
  if (notices !== undefined) await writeNoticesWith(modelDir, notices)
  await buildExecutable({
    root,
    entry: join(root, 'src/main.ts'),
    target,
    modelDir,
    notices,
    hasLitestream: values.litestream,
    releaseKey: values['release-key'] && readPublicKey(values['release-key']),
    outfile,
  })
  console.log(`${relative(process.cwd(), outfile)}  ${(statSync(outfile).size / 1_000_000).toFixed(1)} MB`)
  if (isOther && target === nameThisMachine()) process.exitCode = await smoke()
} catch (error) {
  // An unsupported target or model needs no stack trace; any other error does.
  if (!(error instanceof TargetError || error instanceof UnusableModel)) throw error
  console.error(
    error instanceof UnusableModel ? `Cannot bundle ${modelDir}: ${error.message}` : error.message,
  )
  process.exit(1)
}

/** The name says what differs from the usual executable, which a build with another model thus never replaces. */
function nameOutput(): string {
  return [
    'lookalike',
    named,
    isOther ? basename(modelDir) : undefined,
    values.litestream && 'with-litestream',
  ]
    .filter(Boolean)
    .join('-')
}

/** @returns the exit code of the smoke test. */
async function smoke(): Promise<number> {
  const command = [process.execPath, join(root, 'scripts/smoke.ts'), outfile, '--model', modelDir]
  return await Bun.spawn(command, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).exited
}
