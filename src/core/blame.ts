import { ApiError } from './errors.ts'
import { isStorageFault, storageFailure } from './storage.ts'

/** The cause of a failure in work that no request waits for. It decides whether, and when, the work is tried again. */
export type Blame =
  /** A bug of the program. */
  | { on: 'program' }
  /** The disk or the database, whose fault would meet everybody. */
  | { on: 'storage'; failure: ApiError }
  /** Too much other work. */
  | { on: 'load'; failure: ApiError }
  /** The model, which is not loaded or is lost. */
  | { on: 'model'; failure: ApiError }
  /** The work itself. */
  | { on: 'work'; failure: ApiError }

export function findBlame(error: unknown): Blame {
  const failure = error instanceof ApiError ? error : storageFailure(error)
  if (!failure) return { on: 'program' }
  if (isStorageFault(failure)) return { on: 'storage', failure }
  if (failure.code === 'overloaded') return { on: 'load', failure }
  if (failure.code === 'model_not_ready') return { on: 'model', failure }
  return { on: 'work', failure }
}
