import { rm } from 'node:fs/promises'
import { OperatorError, wrongInput } from '../../core/operator-error.ts'
import type { Egress } from '../outbound/egress.ts'
import {
  type DownloadOptions,
  downloadModel,
  type ModelOrder,
  nameOfOrder,
  workFolderOf,
} from './download.ts'
import { isModelName, MODEL_NAME_RULE, nameAfter } from './incoming.ts'
import { BrokenModel } from './proof.ts'
import { type AddedModel, type AddStep, type ModelShelf, modelsFolder } from './shelf.ts'

/** How far a model is that is being fetched. */
export type BringStep = { step: 'download'; bytes: number; bytesTotal: number } | AddStep

export interface BringOptions
  extends Pick<DownloadOptions, 'mirror' | 'isTrusted' | 'isOffline' | 'show' | 'signal'> {
  dataDir: string
  /** Its name here; by default that of the order. */
  name?: string | undefined
  shelf: Pick<ModelShelf, 'add' | 'find'>
  egress: Pick<Egress, 'send'>
  tell(step: BringStep): void
}

/**
 * Downloads a model, tries it, and puts it on the shelf under its name. What an interrupted download has loaded stays, and the
 * next one goes on there.
 *
 * @throws OperatorError that says what to do; the signal's reason.
 */
export async function bringModel(order: ModelOrder, options: BringOptions): Promise<AddedModel> {
  const { dataDir, shelf, tell, signal } = options
  const name = options.name ?? nameAfter(nameOfOrder(order))
  // Before the download, which takes longer than a person waits for a wrong name.
  if (!isModelName(name))
    throw wrongInput(
      `${JSON.stringify(name)} is no name for a model: ${MODEL_NAME_RULE}. Choose one with --name.`,
    )
  const present = await shelf.find(name)
  if (present?.isBundled)
    throw wrongInput(`${name} is the name of the model inside the program: choose another one with --name.`)
  if (present?.problem !== undefined) throw new OperatorError(present.problem)
  const folder = await downloadModel(order, {
    ...options,
    present: present?.dir,
    folder: workFolderOf(modelsFolder(dataDir), order),
    tell: ({ bytes, bytesTotal }) => tell({ step: 'download', bytes, bytesTotal }),
  })
  if (present && folder === present.dir)
    return { model: present, isNew: false, isRefitted: false, warnings: [] }
  try {
    const added = await shelf.add(folder, { name, tell, signal })
    await rm(folder, { recursive: true, force: true })
    return added
  } catch (error) {
    // What could not be tried for want of memory or disk need not be downloaded again.
    const isRefused = error instanceof OperatorError && error.kind === 'wrong_input'
    if (isRefused || error instanceof BrokenModel) await rm(folder, { recursive: true, force: true })
    throw error
  }
}
