import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CLI_AGENT } from '../../../core/cli-agent.ts'
import type { ApiError } from '../../../core/errors.ts'
import { LIMITS } from '../../../core/limits.ts'
import { isJson } from '../../../http/body.ts'
import { parseJson } from '../../../http/json/text.ts'
import type { SpooledForm } from '../../../http/multipart/spooled-form.ts'
import type { SpooledBody } from '../../../http/spool.ts'
import { findProblems, validationError } from '../../../http/validation.ts'
import type { JobSource } from '../jobs/item.ts'
import { TABLE_FORMATS, type TableFormat } from './formats/table.ts'
import { type ImportAgain, ImportAgainBody, type ImportQuery, MappingBody } from './schema.ts'
import type { ReceivedFile } from './uploads.ts'

/** The wishes of a request beside its file. */
export interface ImportWish {
  format: TableFormat | undefined
  mapping: MappingBody | undefined
  callbackUrl: unknown
  isDryRun: boolean
  sample: number
  deletesMissing: boolean | 'forced'
}

/** Reads the wishes of a form or of the parameters. @throws ApiError `validation_error`. */
export function readTextWish(read: (name: keyof ImportQuery) => string | undefined): ImportWish {
  const format = readFormat(read('format'))
  const isForced = readSwitch('force_delete', read('force_delete'))
  return {
    ...{ format, mapping: readMapping(read('mapping')), callbackUrl: read('callback_url') },
    isDryRun: readSwitch('dry_run', read('dry_run')),
    sample: readSample(read('sample')),
    deletesMissing: toDeletion(readSwitch('delete_missing', read('delete_missing')), isForced),
  }
}

/** Reads the wishes of a JSON body; what it lacks comes from the parameters. @throws ApiError `validation_error`. */
export function readJsonWish(body: ImportAgain, query: ImportQuery): ImportWish {
  const { format, mapping, callback_url, dry_run, sample, delete_missing, force_delete } = body
  const { delete_missing: deletesByQuery, force_delete: forcesByQuery, ...others } = query
  const wish = readTextWish((name) => others[name as keyof typeof others])
  const deletes = delete_missing ?? readSwitch('delete_missing', deletesByQuery)
  const isForced = force_delete ?? readSwitch('force_delete', forcesByQuery)
  return {
    format: format ?? wish.format,
    mapping: mapping ?? wish.mapping,
    callbackUrl: callback_url ?? wish.callbackUrl,
    isDryRun: dry_run ?? wish.isDryRun,
    sample: sample ?? wish.sample,
    deletesMissing: toDeletion(deletes, isForced),
  }
}

/**
 * Reads a body that names a kept upload in place of a file.
 *
 * @returns undefined for any other body: a product in JSON is a file of one line, too.
 * @throws ApiError `validation_error`.
 */
export async function readAgain(
  request: Request,
  { sizeBytes, pieces }: Pick<SpooledBody, 'sizeBytes' | 'pieces'>,
): Promise<ImportAgain | undefined> {
  if (!isJson(request) || sizeBytes > LIMITS.jsonBytesMax) return undefined
  const parts: Uint8Array[] = []
  for await (const piece of pieces()) parts.push(piece)
  const value = await parseJson(Buffer.concat(parts)).catch(() => undefined)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'upload_id')) return undefined
  if (AGAIN.Check(value)) return value
  throw validationError(findProblems(ImportAgainBody, value, 'body'))
}

const AGAIN = TypeCompiler.Compile(ImportAgainBody)

/** Finds the file of a request: in its form, or as the body itself. @throws ApiError `validation_error`. */
export function findFile(body: SpooledBody, form: SpooledForm | undefined, type: string): ReceivedFile {
  if (form) {
    if (!form.file) throw wrong('/file', 'required', 'is required')
    const { name, path, pieces, sizeBytes, keep } = form.file
    return { path, open: pieces, name, sizeBytes, keep, fileName: name }
  }
  const { path, pieces, sizeBytes, keep } = body
  if (sizeBytes === 0) throw wrong('/file', 'required', 'is required')
  return { path, open: pieces, name: type.split(';')[0]?.trim(), sizeBytes, keep, fileName: null }
}

/** Where an import comes from, for whoever reads its job. */
export const toSource = (
  request: Request,
  { fileName, sizeBytes }: { fileName: string | null; sizeBytes: number },
): JobSource => ({
  kind: request.headers.get('user-agent') === CLI_AGENT ? 'cli' : 'file',
  name: fileName,
  bytes: sizeBytes,
})

function toDeletion(deletes: boolean, isForced: boolean): ImportWish['deletesMissing'] {
  if (isForced && !deletes) throw wrong('/force_delete', 'requires', 'goes with delete_missing')
  return deletes && (isForced ? 'forced' : true)
}

function readFormat(value: string | undefined): TableFormat | undefined {
  if (value === undefined || value === '') return undefined
  const format = TABLE_FORMATS.find((name) => name === value)
  if (!format) throw wrong('/format', 'enum', `must be one of ${TABLE_FORMATS.join(', ')}`)
  return format
}

function readSwitch(name: string, value: string | undefined): boolean {
  if (value === undefined || value === '' || value === 'false') return false
  if (value !== 'true') throw wrong(`/${name}`, 'type', 'must be true or false')
  return true
}

function readSample(value: string | undefined): number {
  const { importSampleMin: min, importSampleMax: max } = LIMITS
  if (value === undefined || value === '') return min
  const sample = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
  if (!(sample >= min && sample <= max))
    throw wrong('/sample', 'range', `must be a whole number from ${min} to ${max}`)
  return sample
}

function readMapping(value: string | undefined): MappingBody | undefined {
  if (value === undefined || value.trim() === '') return undefined
  let mapping: unknown
  try {
    mapping = JSON.parse(value)
  } catch {
    throw wrong('/mapping', 'type', 'must be a JSON object')
  }
  const problems = findProblems(MappingBody, mapping, 'body')
  if (problems.length > 0) {
    throw validationError(problems.map((problem) => ({ ...problem, pointer: `/mapping${problem.pointer}` })))
  }
  return mapping as MappingBody
}

const wrong = (pointer: string, code: string, message: string): ApiError =>
  validationError([{ in: 'body', pointer, code, message }])
