import type { Answer } from '../../../support/app.ts'

/** Status and code of an answer. */
export const codeOf = ({ status, body }: Answer): [number, unknown] => [status, body['error']]

/** Status and pointers of a 422, or the status alone. */
export const pointersOf = ({ status, body }: Answer): unknown[] => {
  const { errors = [] } = (body['details'] ?? {}) as { errors?: { pointer: string }[] }
  return [status, ...errors.map(({ pointer }) => pointer)]
}
