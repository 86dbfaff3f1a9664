import { basename, resolve } from 'node:path'
import type { BackupDetails } from '../../platform/backup/facts.ts'
import { modelsFolder } from '../../platform/models/shelf.ts'
import { readNotedHashes } from '../../platform/models/shelf-note.ts'
import { bundledModelHash, bundledModelName } from '../../platform/native/model-folder.ts'

/**
 * Says which models made the vectors of a backup and are not on this machine. The weights are no part of a backup: they are
 * published files of hundreds of megabytes that never change, and the manifest has their names and hashes.
 */
export async function tellMissingModels(
  dataDir: string,
  modelDir: string,
  models: BackupDetails['models'],
): Promise<string> {
  const here = await readNotedHashes(modelsFolder(dataDir))
  const isBundled = ({ name, hash }: BackupDetails['models'][number]) =>
    name === bundledModelName && (bundledModelHash() ?? hash) === hash
  const isInModelDir = ({ name }: { name: string }) => modelDir !== '' && basename(resolve(modelDir)) === name
  const missing = models.filter(
    (model) => model.vectors > 0 && !here.has(model.hash) && !isBundled(model) && !isInModelDir(model),
  )
  return missing
    .map(
      ({ name, vectors }) => `
${vectors} vectors in the backup are of the model ${name}, which is not here. Before the start, bring it with "lookalike model fetch ${name}" or "lookalike model add FOLDER"; without it, the service embeds those pictures again with the model that it has.`,
    )
    .join('')
}
