import type { Config } from '../../config.ts'
import type { PartName } from '../../platform/native/embedded.ts'

/** The parts of the executable that a service needs besides those of every command. */
export const partsOf = ({ MODEL_DIR }: Config): PartName[] => [
  ...(MODEL_DIR ? [] : ['model' as const]),
  'sharp',
  'onnxruntime',
]
