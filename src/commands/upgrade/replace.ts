import { OperatorError } from '../../core/operator-error.ts'
import { readSchema } from '../../platform/db/read-only.ts'
import { ownCommand } from '../../platform/native/own-command.ts'
import { putInPlace, takeBack } from './candidate.ts'
import { run, type Surroundings } from './program.ts'
import type { Site } from './site.ts'

/**
 * Swaps the programs and starts the new one. If it does not become ready, the old program and the database from before come back.
 *
 * Killed at any moment it leaves the old program or the new one. An old one on a database that the new one has migrated says at its
 * start how to go back.
 *
 * @throws OperatorError after going back.
 */
export async function replaceProgram(site: Site, around: Surroundings, limitMs: number): Promise<void> {
  // The schema that the old program knows, or an earlier one; the paths of programs are read before they move.
  const schema = readSchema(around.dataDir)
  const wayBack = ownCommand('database-back', around.dataDir, String(schema))
  putInPlace(site.installed)
  try {
    site.stop()
    await site.start(limitMs, around.stop)
  } catch (error) {
    const why = (error as Error).message
    await goBack(site, around, wayBack, limitMs).catch((failure: Error) => {
      throw new OperatorError(
        `The new version did not work: ${why}.\nGoing back failed, too: ${failure.message}.\nThe old program and the database from before are there: stop the service, see that ${site.installed} is the old program (beside it lies …previous), and run "lookalike serve --from-snapshot".`,
      )
    })
    throw new OperatorError(
      `The new version did not work: ${why}.\nThe old program and the database from before are back${site.isManaged ? ', and the service runs' : ''}.`,
    )
  }
}

async function goBack(
  site: Site,
  around: Surroundings,
  wayBack: readonly string[],
  limitMs: number,
): Promise<void> {
  // Whoever stopped the upgrade wants the way back to its end.
  const unstoppable: Surroundings = { ...around, stop: new AbortController().signal }
  site.stop()
  takeBack(site.installed)
  await run(wayBack, unstoppable, { limitMs: 10 * 60_000 })
  if (site.isManaged) await site.start(limitMs, unstoppable.stop)
}
