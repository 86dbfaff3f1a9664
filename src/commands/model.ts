import type { Command } from './cli/command.ts'
import { modelAdd, modelCheck, modelFetch, modelList, modelRemove } from './model/files.ts'
import { modelCancel, modelConfirm, modelStatus, modelUse, reindex } from './model/moves.ts'

/** `lookalike model …` and `lookalike reindex`, in the order of the help. */
export const modelCommands: readonly Command[] = [
  ...[modelList, modelFetch, modelAdd, modelCheck],
  ...[modelUse, modelStatus, modelCancel, modelConfirm, modelRemove],
  reindex,
]
