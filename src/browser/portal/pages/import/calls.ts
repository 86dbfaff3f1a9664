import type { ImportPreview } from '#generated/api.ts'
import { call } from '../../api/client.ts'
import type { CallError } from '../../api/errors.ts'
import { type Mapping, toBody } from './mapping.ts'

/** Products that are shown before an import, with their pictures. */
const SHOWN = 20
/** The service takes no larger file. */
export const FILE_BYTES_MAX = 100 * 1024 * 1024

/** The file of an import: as it was chosen, and under the id by which the service keeps it for a while. */
export interface Source {
  file: File
  uploadId: string | null
  own: Mapping
}

/** What is known of a file: everything, or its columns alone where one that is needed was not found. */
export interface Known {
  uploadId: string | null
  columns: readonly string[]
  samples: Readonly<Record<string, readonly string[]>>
  /** What is wrong with the columns. */
  problems: readonly Problem[]
  preview: ImportPreview | null
}

/** A problem by the code of the API, and in its words. */
export interface Problem {
  code: string
  message: string
}

interface Wishes {
  dry_run?: boolean
  sample?: number
  delete_missing?: boolean
  force_delete?: boolean
}

interface Way {
  signal?: AbortSignal
  onProgress?: (share: number) => void
}

/** Sends the file, or the id of the one that the service has already. */
function send({ file, uploadId, own }: Source, wishes: Wishes, way: Way) {
  const mapping = toBody(own)
  if (uploadId !== null)
    return call('POST /v1/products/import', {
      body: { upload_id: uploadId, mapping, ...wishes },
      ...(way.signal && { signal: way.signal }),
    })
  const form = new FormData()
  for (const [name, value] of Object.entries(wishes)) form.set(name, String(value))
  form.set('mapping', JSON.stringify(mapping))
  form.set('file', file, file.name)
  return call('POST /v1/products/import', { form, ...way })
}

/** Asks what an import would do. @throws CallError */
export async function look(source: Source, way: Way): Promise<Known> {
  const answer = await send(source, { dry_run: true, sample: SHOWN }, way)
  if (!('dry_run' in answer)) throw new Error('A dry run was answered with a job')
  const { upload_id, columns, samples } = answer
  return { uploadId: upload_id, columns, samples, problems: [], preview: answer }
}

/** Imports the file. @returns the id of the job. @throws CallError */
export async function start(source: Source, wishes: Wishes, way: Way): Promise<string> {
  const answer = await send(source, wishes, way)
  if ('dry_run' in answer) throw new Error('An import was answered with a dry run')
  return answer.job_id
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** The problems of a refusal; the refusal itself where it names none. */
export function listProblems({ code, details, message }: CallError): Problem[] {
  const errors = Array.isArray(details['errors'])
    ? (details['errors'] as { code?: unknown; message?: unknown }[])
    : []
  if (errors.length === 0) return [{ code, message }]
  return errors.flatMap((one) =>
    typeof one.message === 'string' ? [{ code: String(one.code), message: one.message }] : [],
  )
}

/** A refusal of the columns tells them: another choice may do. @returns null for every other failure. */
export function readColumns(error: CallError): Known | null {
  const { columns, samples, upload_id } = error.details
  if (!isTexts(columns) || typeof samples !== 'object' || samples === null) return null
  return {
    uploadId: typeof upload_id === 'string' ? upload_id : null,
    columns,
    samples: samples as Known['samples'],
    // The form itself asks for a column that is missing.
    problems: listProblems(error).filter(({ code }) => code !== 'column_missing'),
    preview: null,
  }
}
