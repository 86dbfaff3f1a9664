import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dictionary } from '@zxcvbn-ts/language-common'
import { findPackages } from '../generate/notices/collect.ts'
import { ACME_CLIENT_SWAPS } from './acme-client.ts'
import { readCommit } from './commit.ts'
import { createLoaderSwaps, type Swap } from './loaders.ts'

import { packFile } from './pack.ts'
import { preparePackages } from './packages.ts'
import { findLoaderPaths, listEmbedded } from './parts.ts'
import { STRIPE_SWAPS } from './stripe.ts'
import { createSwapPlugin } from './swap-plugin.ts'
import { findTarget } from './targets.ts'
import { UNUSED_SWAPS } from './unused.ts'

export interface ExecutableOptions {
  /** Folder of the checkout. */
  root: string
  entry: string
  /** Such as `linux-x64`. */
  target: string
  modelDir: string
  /** The packed notices of an executable with another model than the usual one. */
  notices?: string | undefined
  /** Whether it carries Litestream. */
  hasLitestream?: boolean
  /** The public key of releases, one line. */
  releaseKey?: string | undefined
  outfile: string
}

/**
 * Compiles the program and its native libraries into one file.
 *
 * @throws TargetError for a target that lacks a native package, Error if a package changed its loader.
 */
export async function buildExecutable(options: ExecutableOptions): Promise<void> {
  const target = findTarget(options.target)
  const packages = await preparePackages(options.root, target)
  const packedDir = join(options.root, 'dist/packed')
  const embedded = await listEmbedded(target, packages.nodeModules, {
    ...{ modelDir: options.modelDir, packedDir },
    hasLitestream: options.hasLitestream ?? false,
  })
  const paths = findLoaderPaths(target, packages.nodeModules, embedded)
  const passwords = await packFile(Buffer.from(dictionary['passwords-common'].join('\n')), packedDir)
  const swaps = [
    ...createLoaderSwaps(options.root, embedded, paths, passwords.source),
    ...ACME_CLIENT_SWAPS,
    ...STRIPE_SWAPS,
    ...UNUSED_SWAPS,
  ]
  const used = new Set<Swap>()
  const result = await Bun.build({
    entrypoints: [options.entry],
    target: 'bun',
    // Bytecode costs 2.8 times the size of the code (11 MB) and starts the program in 0.11 s instead of 0.25 s.
    bytecode: true,
    format: 'esm',
    minify: { whitespace: true, syntax: true },
    metafile: true,
    define: {
      'process.env.NODE_ENV': '"production"',
      // The bundler would write the folder of the checkout, so two checkouts would give two programs.
      __dirname: NOWHERE,
      __filename: NOWHERE,
      LOOKALIKE_COMMIT: JSON.stringify(readCommit(options.root)),
      ...(options.releaseKey && { LOOKALIKE_RELEASE_KEY: JSON.stringify(options.releaseKey) }),
    },
    plugins: [createSwapPlugin(swaps, used), createNoticesPlugin(options.notices)],
    compile: {
      outfile: options.outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(packages.runtime === undefined
        ? {}
        : { target: nameRuntime(target.os, target.cpu), executablePath: packages.runtime }),
    },
  })
  if (!result.success) throw new AggregateError(result.logs, 'The bundler failed')
  const unused = swaps.filter((swap) => !used.has(swap))
  if (unused.length > 0) throw new Error(`Not bundled: ${unused.map((swap) => swap.path.source).join(', ')}`)
  if (readFileSync(options.outfile).includes(`${options.root}/`))
    throw new Error(`The executable names ${options.root}: the same commit elsewhere would give another one`)
  checkNotices(options.root, Object.keys(result.metafile?.inputs ?? {}))
}

/** Where packages that ask for it lie: nothing of them is in a folder any more. */
const NOWHERE = JSON.stringify('/$bunfs/root')

/** Lets the bundler embed other notices. */
function createNoticesPlugin(path: string | undefined): Bun.BunPlugin {
  return {
    name: 'notices',
    setup(build) {
      if (path !== undefined) build.onResolve({ filter: /^#generated\/notices\.txt\.gz$/ }, () => ({ path }))
    },
  }
}

/** Checks that the notices tell of every npm package in the executable. @throws Error naming the others. */
function checkNotices(root: string, inputs: readonly string[]): void {
  const told: unknown = JSON.parse(readFileSync(join(root, 'dist/generated/notices.json'), 'utf8'))
  const names = findPackages(inputs)
  const untold = names.filter((name) => !Array.isArray(told) || !told.includes(name))
  if (names.length === 0) throw new Error('The bundler did not say what it bundled')
  if (untold.length > 0) throw new Error(`Bundled without a licence notice: ${untold.join(', ')}`)
}

function nameRuntime(os: 'linux' | 'darwin', cpu: 'x64' | 'arm64'): Bun.Build.CompileTarget {
  return `bun-${os}-${cpu}`
}
