import { readFileSync } from 'node:fs'
import type { Swap } from './loaders.ts'

/**
 * Lets the bundler take other sources of some modules.
 *
 * @param used gets the swaps that were needed.
 */
export function createSwapPlugin(swaps: readonly Swap[], used = new Set<Swap>()): Bun.BunPlugin {
  return {
    name: 'swaps',
    setup(build) {
      for (const swap of swaps) {
        build.onLoad({ filter: swap.path }, ({ path }) => {
          used.add(swap)
          return {
            contents: swap.rewrite(readFileSync(path, 'utf8')),
            loader: path.endsWith('.ts') ? 'ts' : 'js',
          }
        })
      }
    },
  }
}
