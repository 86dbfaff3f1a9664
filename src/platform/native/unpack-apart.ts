import type { PartName } from './embedded.ts'
import { ownCommand, ownEnvironment } from './own-command.ts'
import { listMissing } from './parts.ts'

/**
 * Unpacks the missing ones of a service's parts in a process of its own, before the processes that load them start.
 *
 * The parts of the executable that a process has read count as its memory until it ends. When every process of a service unpacked
 * for itself, that was 100 to 130 MB after the first start; besides, two of them wrote the same libraries at once, and each
 * kept its own copy in memory.
 *
 * A failure ends nothing here: the process that needs the part tries again, and explains it.
 */
export async function unpackApart(parts: readonly PartName[]): Promise<void> {
  const missing = listMissing(parts)
  if (missing.length === 0) return
  const child = Bun.spawn(ownCommand('unpack', ...missing), {
    env: { ...process.env, ...ownEnvironment() },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await child.exited
}
