import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import type { WorkFile, WorkFiles } from '../platform/work-files.ts'
import type { SpooledBody } from './spool.ts'
import { validationError } from './validation.ts'

/** A form with one large file, which lies on the disk. Whoever reads it disposes of it. */
export interface SpooledForm extends AsyncDisposable {
  fields: ReadonlyMap<string, string>
  /** Undefined for a form without a file. */
  file: { name: string; type: string; path: string; pieces(): AsyncIterable<Uint8Array> } | undefined
}

interface FormDeps {
  files: Pick<WorkFiles, 'create' | 'remove'>
  ids: Pick<Ids, 'uuid'>
}

const FIELDS_MAX = 20
const FIELD_BYTES_MAX = 64 * 1024

/**
 * Reads a `multipart/form-data` body (RFC 7578) with one file in the field `file`, piece by piece.
 *
 * @param type the Content-Type, which names the boundary.
 * @throws ApiError `invalid_request` for a malformed body; `validation_error` for another file, a field that is repeated
 *   and too many or too long fields; a storage code. Nothing is left then.
 */
export async function readSpooledForm(
  body: Pick<SpooledBody, 'pieces'>,
  type: string,
  { files, ids }: FormDeps,
): Promise<SpooledForm> {
  const name = ids.uuid()
  const fields = new Map<string, string>()
  let isTaken = false
  let stored: WorkFile | undefined
  let file: SpooledForm['file']
  const dispose = async (): Promise<void> => {
    await stored?.close().catch(() => {})
    await files.remove(name).catch(() => {})
  }

  async function store(
    fieldName: string,
    content: Readable,
    fileName: string,
    fileType: string,
  ): Promise<void> {
    if (fieldName !== 'file')
      throw wrongField(fieldName, 'must not be a file: the file belongs in the field file')
    if (isTaken) throw wrongField('file', 'must be sent only once')
    isTaken = true
    stored = await files.create(name)
    for await (const piece of content as AsyncIterable<Uint8Array>) await stored.append(piece)
    file = { name: fileName, type: fileType, path: stored.path, pieces: stored.pieces }
  }

  function take(fieldName: string, value: string, isCut: boolean): void {
    if (fields.has(fieldName)) throw wrongField(fieldName, 'must be sent only once')
    if (isCut) throw wrongField(fieldName, `must have at most ${FIELD_BYTES_MAX} bytes`)
    fields.set(fieldName, value)
  }

  try {
    await parseForm(body.pieces(), type, { store, take })
    return { fields, file, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

interface Receiver {
  store(field: string, content: Readable, fileName: string, fileType: string): Promise<void>
  take(field: string, value: string, isCut: boolean): void
}

async function parseForm(pieces: AsyncIterable<Uint8Array>, type: string, receiver: Receiver): Promise<void> {
  const parser = createParser(type)
  const source = Readable.from(pieces, { objectMode: false })
  const done = Promise.withResolvers<void>()
  const contents: Readable[] = []
  const storing: Promise<void>[] = []
  const fail = (error: unknown): void => {
    source.destroy()
    for (const content of contents) content.destroy()
    done.reject(error instanceof ApiError ? error : malformed(error))
  }
  parser.on('file', (field, content, fileName, _encoding, fileType) => {
    // Reading fails by itself when the form ends in the middle.
    content.on('error', () => {})
    contents.push(content)
    const stored = receiver.store(field, content, fileName, fileType)
    stored.catch(fail)
    storing.push(stored)
  })
  parser.on('field', (field, value, _isNameCut, isCut) => {
    try {
      receiver.take(field, value, isCut)
    } catch (error) {
      fail(error)
    }
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(limit, () => fail(wrongField('', `The form has more than ${FIELDS_MAX} fields`)))
  }
  parser.on('error', fail)
  parser.on('finish', () => Promise.all(storing).then(() => done.resolve(), fail))
  source.on('error', fail)
  source.pipe(parser)
  try {
    await done.promise
  } finally {
    // A file that is still being written cannot be closed.
    await Promise.allSettled(storing)
  }
}

/** @throws ApiError `invalid_request` for a type without a boundary. */
function createParser(type: string): BusboyInstance {
  const limits = { fields: FIELDS_MAX, fieldSize: FIELD_BYTES_MAX, files: 2, parts: FIELDS_MAX + 2 }
  try {
    return new Busboy({ headers: { 'content-type': type }, limits })
  } catch (error) {
    throw malformed(error)
  }
}

const malformed = (cause: unknown): ApiError =>
  new ApiError('invalid_request', 'The multipart body is malformed', { cause })

const wrongField = (field: string, message: string): ApiError =>
  validationError([{ in: 'body', pointer: field === '' ? '' : `/${field}`, code: 'invalid', message }])
