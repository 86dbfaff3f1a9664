import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { counted } from '../core/text.ts'
import { TABLE_FORMATS } from '../features/catalogue/imports/formats/table.ts'
import type { Call, Command } from './cli/command.ts'
import { createProgress, type Progress } from './cli/progress.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import { type ServiceClient, ServiceRefusal } from './client/service-client.ts'
import { type ServiceSession, withService } from './client/service-session.ts'
import { explainColumns } from './import/columns.ts'
import { deleteMissing, readNamed } from './import/missing.ts'
import { openPieces, type Pieces } from './import/pieces.ts'
import { formatPreview } from './import/preview.ts'
import { openProgressFile, type ProgressFile } from './import/progress-file.ts'
import { formatJob, joinJobs } from './import/report.ts'
import { type EndedPiece, previewPieces, sendPieces } from './import/send.ts'
import { type ImportUpload, readUpload } from './import/upload.ts'
import { explainFolderError } from './service/data-folder.ts'

/** `lookalike import`. */
export const importFile: Command = {
  name: 'import',
  summary:
    'import the products of a file of any size: CSV, TSV, NDJSON or XML, also as .gz, or a .zip with pictures; or of a folder with pictures',
  positionals: ['FILE|FOLDER'],
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; may be left out if there is only one' },
    {
      flag: 'map',
      value: 'FIELD=COLUMN',
      meaning: 'the column that fills a field, as in image_url=Photo; may be given several times',
      isList: true,
    },
    {
      flag: 'mapping',
      value: 'JSON',
      meaning: 'the same for several fields: {"product_id": "Article", "image_url": "Photo"}',
    },
    { flag: 'format', value: 'FORMAT', meaning: `${TABLE_FORMATS.join(', ')}; default: as the file tells` },
    { flag: 'dry-run', meaning: 'show what would be imported, and write nothing' },
    {
      flag: 'delete-missing',
      meaning:
        'afterwards delete the products of the store that the file does not name, unless more than 20 % would go',
    },
    { flag: 'force-delete', meaning: 'with --delete-missing: delete however many are gone' },
    { flag: 'json', meaning: 'print JSON: the job at its end, or the preview' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'JWT_SECRET', 'FETCH_ALLOW_CIDRS', 'OFFLINE'],
  example: 'lookalike import products.csv --store my-shop --dry-run',
  findProblems: (options) =>
    options['force-delete'] !== undefined && options['delete-missing'] === undefined
      ? ['--force-delete goes with --delete-missing']
      : [],
  async run(call) {
    const upload = await readUpload(call)
    for (const note of upload.notes) process.stderr.write(`${note}\n`)
    const stop = createStopSignal()
    return withService(call, stop, (session) => importThrough(session, call, upload, stop))
  },
}

/** @returns the exit code. */
async function importThrough(
  session: ServiceSession,
  { config, options }: Call,
  upload: ImportUpload,
  stop: AbortSignal,
): Promise<number> {
  const key = createHash('sha256')
    .update([session.storeId, upload.hash, upload.query].join('\n'))
    .digest('hex')
  const file = await openProgressFile(config.DATA_DIR, key)
  const progress = createProgress()
  const isJson = options['json'] !== undefined
  let pieces: Pieces | undefined
  try {
    pieces = await openPieces(upload, file.partPath, progress, stop)
    if (options['dry-run'] === undefined) {
      const removes = options['delete-missing'] !== undefined && {
        upload,
        isForced: options['force-delete'] !== undefined,
      }
      return await send({ session, pieces, file, progress, isJson, stop, removes })
    }
    const preview = await previewPieces(session.client, pieces)
    console.log(isJson ? JSON.stringify(preview) : formatPreview(preview))
    return preview.invalid > 0 ? 1 : 0
  } catch (error) {
    progress.end()
    if (!stop.aborted) {
      if (error instanceof ServiceRefusal) throw await explainColumns(error, upload)
      const { code = '' } = error as NodeJS.ErrnoException
      // Only the data folder is written to.
      throw /^(ENOSPC|EDQUOT)$/.test(code) ? explainFolderError(resolve(config.DATA_DIR), error) : error
    }
    if (!pieces) console.error('Stopped. Nothing was sent in this run.')
    return 1
  } finally {
    await pieces?.close()
    await file.dropPart()
  }
}

interface Send {
  session: ServiceSession
  pieces: Pieces
  file: ProgressFile
  progress: Progress
  isJson: boolean
  stop: AbortSignal
  /** Whether to delete what the file does not name. */
  removes: false | { upload: ImportUpload; isForced: boolean }
}

async function send({ session, pieces, file, progress, isJson, stop, removes }: Send): Promise<number> {
  const { client, isOwn } = session
  const count = pieces.list.length
  const ended: EndedPiece[] = []
  const open = new Set<string>()
  try {
    await sendPieces({
      client,
      pieces,
      file,
      progress,
      onJob({ number }, jobId, total) {
        open.add(jobId)
        const part = count > 1 ? `Part ${number + 1} of ${count}, job` : 'Job'
        // Not console.error, which is red on a terminal.
        progress.end()
        process.stderr.write(`${part} ${jobId}: ${counted(total, 'product')}\n`)
      },
      onEnd(one) {
        open.delete(one.job.job_id)
        ended.push(one)
      },
    })
  } catch (error) {
    progress.end()
    const isWhole = count === 1
    if (open.size > 0) console.error(explainLeft([...open], isOwn))
    else if (stop.aborted && isWhole)
      console.error('Stopped. If the service has the whole file already, it imports it.')
    if (!isWhole) console.error('The same command goes on from here.')
    throw error
  }
  progress.end()
  const result = joinJobs(ended)
  const isWhole = result.status === 'completed' && ended.length === count
  if (!isJson) console.log(formatJob(result))
  // A job that failed or was cancelled says nothing about what is gone.
  const deleted = removes && isWhole ? await removeMissing(client, removes, ended) : undefined
  if (isJson) console.log(JSON.stringify({ ...result.json, ...(deleted !== undefined && { deleted }) }))
  else if (deleted !== undefined)
    console.log(`${counted(deleted, 'product')} deleted that the file does not name`)
  else if (removes) console.log('Nothing was deleted, because the import did not end well.')
  return isWhole && result.failed === 0 ? 0 : 1
}

async function removeMissing(
  client: ServiceClient,
  { upload, isForced }: Exclude<Send['removes'], false>,
  ended: readonly EndedPiece[],
): Promise<number> {
  const before = ended.map(({ job }) => job.created_at).toSorted()[0]
  if (before === undefined) return 0
  return deleteMissing({ client, named: await readNamed(client, upload), before, isForced })
}

/** @param isOwn whether the service ends with this command. */
function explainLeft(jobIds: readonly string[], isOwn: boolean): string {
  const [first] = jobIds
  const after = isOwn ? 'as soon as a service or another import runs on this folder' : 'in the service'
  const what =
    jobIds.length === 1
      ? `The job ${first} goes on ${after}.`
      : `The jobs ${jobIds.join(', ')} go on ${after}.`
  return (
    `${what}\n` +
    `Follow it with the same command or GET /v1/jobs/${first}; cancel it with POST /v1/jobs/${first}/cancel.`
  )
}
