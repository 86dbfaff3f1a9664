import type { CallError } from './errors.ts'

/** Reads which fields of a form the API refused: the code of the first problem of each, by its pointer. */
export function readFaults(error: CallError | null): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {}
  const problems = error?.status === 422 ? error.details['errors'] : undefined
  if (!Array.isArray(problems)) return faults
  for (const { pointer, code } of problems as { pointer?: unknown; code?: unknown }[])
    if (typeof pointer === 'string') faults[pointer] ??= String(code)
  return faults
}
