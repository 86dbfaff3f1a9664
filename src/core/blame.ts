import { ApiError } from './errors.ts'
import { isStorageFault, storageFailure } from './storage.ts'

/** What is to blame for the failure of work that no request waits for: this decides whether, and when, it is tried again. */
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
