import { createWriteStream } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { systemIds } from '../core/ids.ts'
import { OperatorError } from '../core/operator-error.ts'
import { counted } from '../core/text.ts'
import type { ProductList } from '../features/catalogue/products/schema.ts'
import type { Command } from './cli/command.ts'
import { createProgress, type Progress } from './cli/progress.ts'
import { createStopSignal } from './cli/stop-signal.ts'
import type { ServiceClient } from './client/service-client.ts'
import { withService } from './client/service-session.ts'

/** How often the progress is drawn again. */
const SHOWN_MS = 200
const NEWLINE = 0x0a

/** `lookalike export`. */
export const exportProducts: Command = {
  name: 'export',
  summary:
    'write all products of a store as NDJSON, which import takes back; to stdout without a file or for -',
  positionals: ['[FILE]'],
  options: [
    { flag: 'store', value: 'SLUG', meaning: 'the store; may be left out if there is only one' },
    {
      flag: 'vectors',
      meaning: 'add the vector and the facts of each picture, so that an import need not read the pictures',
    },
    {
      flag: 'thumbnails',
      meaning: 'with --vectors: add the thumbnails, too, so that an import need not make them',
    },
    { flag: 'force', meaning: 'replace FILE if it is there' },
  ],
  settings: ['DATA_DIR', 'HOST', 'PORT', 'BASE_URL', 'JWT_SECRET'],
  example: 'lookalike export products.ndjson.gz --store my-shop --vectors',
  async run(call) {
    const { options, positionals } = call
    const [name = '-'] = positionals
    const wanted = {
      hasVectors: options['vectors'] !== undefined,
      hasThumbnails: options['thumbnails'] !== undefined,
    }
    if (wanted.hasThumbnails && !wanted.hasVectors)
      throw new OperatorError('--thumbnails goes with --vectors')
    const target = name === '-' ? undefined : await checkTarget(name, options['force'] !== undefined)
    const stop = createStopSignal()
    // A bar would stand between the lines.
    const isQuiet = !target && process.stdout.isTTY
    const progress = isQuiet ? undefined : createProgress()
    return withService(call, stop, async ({ client }) => {
      try {
        const lines = await readLines(client, wanted, progress)
        const count = target ? await writeFile(lines, target) : await writeOut(lines)
        progress?.end()
        if (target) process.stderr.write(`${counted(count, 'product')} in ${name}\n`)
        return 0
      } catch (error) {
        progress?.end()
        if (stop.aborted) console.error(target ? `Stopped. ${name} was not written.` : 'Stopped.')
        else if (!isClosedPipe(error)) throw error
        return 1
      }
    })
  },
}

/** @throws OperatorError for a file that must not be replaced. */
async function checkTarget(name: string, mayReplace: boolean): Promise<string> {
  const path = resolve(name)
  const found = await lstat(path).catch(() => undefined)
  if (found && !found.isFile()) throw new OperatorError(`${name} is not a file`)
  if (found && !mayReplace) throw new OperatorError(`${name} is there already: --force replaces it`)
  return path
}

interface Lines {
  pieces: AsyncIterable<Uint8Array>
  /** Lines that were read so far. */
  count(): number
}

/** Opens an export; its pieces tell the progress. */
async function readLines(
  client: ServiceClient,
  { hasVectors, hasThumbnails }: { hasVectors: boolean; hasThumbnails: boolean },
  progress: Progress | undefined,
): Promise<Lines> {
  const list = (await (await client.send('GET', '/v1/products?limit=1')).json()) as ProductList
  const query = `vectors=${hasVectors}&thumbnails=${hasThumbnails}`
  const response = await client.send('GET', `/v1/products/export?${query}`)
  const start = performance.now()
  let shownAt = start
  let count = 0

  function show(): void {
    const now = performance.now()
    if (now - shownAt < SHOWN_MS) return
    shownAt = now
    // Products may come and go meanwhile.
    const total = Math.max(list.total, count)
    const left = ((now - start) / 1_000 / Math.max(count, 1)) * (total - count)
    progress?.show({ processed: count, total, progress: count / total, failed: 0, eta_seconds: left })
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of response.body ?? new ReadableStream<Uint8Array>()) {
        for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++
        show()
        yield piece
      }
    } catch (error) {
      throw new OperatorError(`The export broke off: ${(error as Error).message}`)
    }
  }
  return { pieces: read(), count: () => count }
}

/** Writes a file that has its name only when it is whole. @returns the number of lines. */
async function writeFile({ pieces, count }: Lines, path: string): Promise<number> {
  const part = `${path}.${systemIds.uuid()}.part`
  try {
    // The addresses of kept pictures are secrets of the store.
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600 })
    const source = Readable.from(pieces, { objectMode: false })
    if (/\.gz$/i.test(path)) await pipeline(source, createGzip(), file)
    else await pipeline(source, file)
    const written = await open(part, 'r+')
    await written.sync().finally(() => written.close())
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    const isFault = (error as NodeJS.ErrnoException).syscall !== undefined
    throw isFault ? new OperatorError(`Cannot write ${path}: ${(error as Error).message}`) : error
  }
  return count()
}

async function writeOut({ pieces, count }: Lines): Promise<number> {
  for await (const piece of pieces) await Bun.write(Bun.stdout, piece)
  return count()
}

/** The reader of the output has closed it, as `head` does. */
const isClosedPipe = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE'
