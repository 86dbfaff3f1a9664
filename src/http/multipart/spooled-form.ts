import type { ApiError } from '../../core/errors.ts'
import type { Ids } from '../../core/ids.ts'
import type { WorkFile, WorkFiles } from '../../platform/work-files.ts'
import type { SpooledBody } from '../spool.ts'
import { validationError } from '../validation.ts'
import type { PartHead } from './part-head.ts'
import { createMultipartReader, type FormEvent, type ReaderLimits } from './reader.ts'

/** A form with one large file on the disk. Its reader disposes of it. */
export interface SpooledForm extends AsyncDisposable {
  fields: ReadonlyMap<string, string>
  /** Undefined for a form without a file. */
  file: SpooledFile | undefined
}

interface SpooledFile {
  name: string
  path: string
  readonly sizeBytes: number
  pieces(): AsyncIterable<Uint8Array>
  /** Lets the file outlive the form. @returns its name among the work files: whoever keeps it removes it. */
  keep(): string
}

interface FormDeps {
  files: Pick<WorkFiles, 'create' | 'remove'>
  ids: Pick<Ids, 'uuid'>
}

const FIELDS_MAX = 20
const FIELD_BYTES_MAX = 64 * 1024
const READER_LIMITS: ReaderLimits = { partsMax: FIELDS_MAX + 2, tooManyParts: () => tooManyFields() }

/**
 * Reads a `multipart/form-data` body with one file in the field `file`, piece by piece.
 *
 * @param type the Content-Type, which names the boundary.
 * @throws ApiError `invalid_request` for a malformed body; `validation_error` for another file, a repeated field, and too many
 *   or too long fields; a storage code. Nothing is left then.
 */
export async function readSpooledForm(
  body: Pick<SpooledBody, 'pieces'>,
  type: string,
  { files, ids }: FormDeps,
): Promise<SpooledForm> {
  const reader = createMultipartReader(type, READER_LIMITS)
  const name = ids.uuid()
  const fields = createFields()
  let stored: WorkFile | undefined
  let file: SpooledFile | undefined
  let append: (bytes: Buffer) => unknown = ignore
  let sizeBytes = 0
  let isKept = false

  const dispose = async (): Promise<void> => {
    await stored?.close().catch(() => {})
    if (!isKept) await files.remove(name).catch(() => {})
  }

  async function storeFile(field: string, fileName: string): Promise<void> {
    if (field !== 'file') throw wrongField(field, 'must not be a file: the file belongs in the field file')
    if (stored) throw wrongField('file', 'must be sent only once')
    const created = await files.create(name)
    stored = created
    file = {
      ...{ name: baseName(fileName), path: created.path, pieces: created.pieces },
      get sizeBytes() {
        return sizeBytes
      },
      keep() {
        isKept = true
        return name
      },
    }
    append = (bytes) => {
      sizeBytes += bytes.length
      return created.append(bytes)
    }
  }

  async function take(event: FormEvent): Promise<void> {
    if (event.kind === 'content') await append(event.bytes)
    else if (event.kind === 'end of part') fields.end()
    else if (event.head.name === undefined) append = ignore
    else if (isFile(event.head)) await storeFile(event.head.name, event.head.fileName ?? '')
    else append = fields.begin(event.head.name, event.head.charset)
  }

  try {
    for await (const piece of body.pieces()) for (const event of reader.read(piece)) await take(event)
    reader.finish()
    return { fields: fields.values, file, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const ignore = (): void => {}

/** Some programs send a file without its name. */
const isFile = ({ fileName, type }: PartHead): boolean =>
  fileName !== undefined || type === 'application/octet-stream'

/** Some browsers send the whole path of a file. */
const baseName = (path: string): string => path.replace(/^.*[/\\]/s, '')

/** Collects the text fields of a form, one after the other. */
function createFields() {
  const values = new Map<string, string>()
  let begun = 0
  let open: { name: string; charset: string | undefined; parts: Buffer[]; size: number } | undefined

  return {
    values,
    begin(name: string, charset: string | undefined): (bytes: Buffer) => void {
      if (++begun > FIELDS_MAX) throw tooManyFields()
      const field = { name, charset, parts: [] as Buffer[], size: 0 }
      open = field
      return (bytes) => {
        field.size += bytes.length
        if (field.size <= FIELD_BYTES_MAX) field.parts.push(bytes)
      }
    },
    /** Ends the open field, if there is one. */
    end(): void {
      if (!open) return
      const { name, charset, parts, size } = open
      open = undefined
      if (values.has(name)) throw wrongField(name, 'must be sent only once')
      if (size > FIELD_BYTES_MAX) throw wrongField(name, `must have at most ${FIELD_BYTES_MAX} bytes`)
      values.set(name, createDecoder(charset).decode(Buffer.concat(parts)))
    },
  }
}

/** Some libraries send each text in Latin-1, and say so. */
function createDecoder(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset as 'utf-8', { ignoreBOM: true })
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true })
  }
}

const tooManyFields = (): ApiError => wrongField('', `The form has more than ${FIELDS_MAX} fields`)

const wrongField = (field: string, message: string): ApiError =>
  validationError([{ in: 'body', pointer: field === '' ? '' : `/${field}`, code: 'invalid', message }])
