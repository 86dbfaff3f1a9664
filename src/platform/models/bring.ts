import { rm } from 'node:fs/promises'
import type { Egress } from '../outbound/egress.ts'
import {
  type DownloadOptions,
  downloadModel,
  type ModelOrder,
  nameOfOrder,
  workFolderOf,
} from './download.ts'
import { type AddStep, type ModelShelf, modelsFolder } from './shelf.ts'

/** How far a model is that is being fetched. */
export type BringStep = { step: 'download'; bytes: number; bytesTotal: number } | AddStep

export interface BringOptions
  extends Pick<DownloadOptions, 'mirror' | 'isTrusted' | 'isOffline' | 'show' | 'signal'> {
  dataDir: string
  shelf: Pick<ModelShelf, 'add'>
  egress: Pick<Egress, 'send'>
  tell(step: BringStep): void
}

/**
 * Downloads a model, tries it, and puts it on the shelf under its name. What an interrupted download has loaded stays, and the
 * next one goes on there.
 *
 * @throws OperatorError that says what to do; the signal's reason.
 */
export async function bringModel(order: ModelOrder, options: BringOptions): ReturnType<ModelShelf['add']> {
  const { dataDir, shelf, tell, signal } = options
  const folder = await downloadModel(order, {
    ...options,
    folder: workFolderOf(modelsFolder(dataDir), order),
    tell: ({ bytes, bytesTotal }) => tell({ step: 'download', bytes, bytesTotal }),
  })
  const added = await shelf.add(folder, { name: nameOfOrder(order), tell, signal })
  // Only now: a model that cannot be tried for want of memory need not be downloaded again.
  await rm(folder, { recursive: true, force: true })
  return added
}
