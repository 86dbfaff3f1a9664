import { resolve } from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { SILENT } from '../native/silence.ts'
import type { Embedder, EmbedderGauges, EmbedderStatus, PictureCrop } from './embedder.ts'
import type { EmbedderRole } from './messages.ts'
import { readModelFiles } from './model-files.ts'
import { measureTower, readModelLayout } from './model-layout.ts'
import { refuseNewPrivileges } from './no-new-privileges.ts'
import { LARGE_MAX, ProcessPool } from './process-pool.ts'
import { readProcessState } from './process-state.ts'
import type { EmbedderLog } from './process-supervisor.ts'

export interface ChildEmbedderOptions {
  /** A model folder on disk, in the layout of transformers.js. */
  modelDir: string
  /** The model's name, if it differs from the folder's. */
  modelId?: string
  /** The hash of the model's fingerprint, if it is already known. */
  modelHash?: string | undefined
  /** Command line that calls `runEmbedderProcess`; role, folder and threads are appended. */
  command: readonly string[]
  /**
   * Environment of the processes. They inherit nothing else, so that a decoder compromised by hostile bytes finds no
   * secrets.
   */
  env?: Readonly<Record<string, string>>
  /** Threads for pictures in all processes together. */
  inferenceThreads: number
  log: EmbedderLog
  limits?: Partial<EmbedderLimits>
}

export interface EmbedderLimits {
  /** Pictures held at a time, queued or in progress; indexing may use three quarters. */
  picturesMax: number
  pictureBytesMax: number
  /** Texts held at a time. */
  textsMax: number
  textBytesMax: number
  /** Longest processing time of a picture or text, counted from its start. */
  taskMs: number
  /** Longest startup of a process, self-test included. */
  startMs: number
  /** Longest single wait of a picture or text for a process. */
  waitMs: number
  /** Longest silence of a process after a ping. */
  silentMs: number
  /** Resident memory at which a process is killed, beside what its weights may take. */
  memoryBytesMax: number
  /** Threads of one process for pictures, one of them for the model; more threads mean more processes. */
  processThreadsMax: number
}

const LIMITS_DEFAULT: EmbedderLimits = {
  picturesMax: 64,
  pictureBytesMax: 256 * 1024 * 1024,
  textsMax: 256,
  textBytesMax: 4 * 1024 * 1024,
  taskMs: 10_000,
  startMs: 60_000,
  waitMs: 10_000,
  silentMs: 10_000,
  memoryBytesMax: 1.5 * 1024 * 1024 * 1024,
  processThreadsMax: 2,
}

/**
 * Few heaps in glibc, and a JavaScript engine that collects garbage as on a machine of 256 MiB. The picture process
 * then has 100 MB of its own after indexing instead of 140, for 10 % more time: as on 128 MiB it saved no more and took
 * 17 % more time, and four heaps save 3 % of it for 12 MB. What a decoder frees is kept for the next picture, up to 16 MiB
 * in a heap; larger buffers go back at once. The text process would take 40 % more time and save little.
 */
const THRIFT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: String(16 * 1024 * 1024),
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 * 1024),
  BUN_JSC_forceRAMSize: String(256 * 1024 * 1024),
}

/** onnxruntime holds weights up to three times while it loads them: as in the file, unpacked, and in the order of its kernels. */
const WEIGHTS_FACTOR = 3

/**
 * One thread for each picture that may be decoded at a time: searches (twice the window), large pictures and one giant.
 * So every started picture is really being decoded, and the kernel gives small ones their share next to slow ones.
 */
const decoderThreads = (windowMax: number) => ({ UV_THREADPOOL_SIZE: String(2 * windowMax + LARGE_MAX + 1) })

/** Texts are so fast that stores need not take turns. */
const NO_STORE = ''

/** An embedder in child processes, with access to their state for tests and operators. */
export interface ChildEmbedder extends Embedder {
  /** Resolves once every model is ready or has failed, or the embedder is closed. */
  settled(): Promise<EmbedderStatus>
  /** Process ids of the running children. */
  pids(): { text: number[]; vision: number[] }
  /** Queued texts and pictures. */
  queueDepth(): { texts: number; pictures: number }
}

/**
 * Creates an embedder that decodes and infers in child processes: one for texts, and one for pictures per two threads.
 * They start immediately and in parallel; nothing waits for them, see `status()`. From this call on, this process and
 * its children cannot gain privileges.
 *
 * @throws Error when the model folder cannot be read.
 */
export function createEmbedder(options: ChildEmbedderOptions): ChildEmbedder {
  const { log } = options
  refuseNewPrivileges()
  const modelDir = resolve(options.modelDir)
  const { dimension, towers } = readModelLayout(modelDir)
  const limits = { ...LIMITS_DEFAULT, ...options.limits }
  const lanes = Math.max(1, Math.ceil(options.inferenceThreads / limits.processThreadsMax))
  const threads = Math.max(1, Math.ceil(options.inferenceThreads / lanes))

  let onTimed: Parameters<EmbedderGauges['watch']>[0] = () => {}
  const createPool = (name: EmbedderRole, count: number, queue: { tasksMax: number; bytesMax: number }) => {
    const windowMax = name === 'vision' ? 4 + 2 * threads : 16
    return new ProcessPool({
      name,
      lanes: count,
      lane: {
        command: [...options.command, name, modelDir, String(threads)],
        env: {
          ...options.env,
          ...SILENT,
          ...(name === 'vision' && { ...THRIFT, ...decoderThreads(windowMax) }),
        },
        taskMs: limits.taskMs,
        startMs: limits.startMs,
        silentMs: limits.silentMs,
        memoryBytesMax: limits.memoryBytesMax + WEIGHTS_FACTOR * measureTower(modelDir, towers[name]),
      },
      queue,
      windowMax,
      waitMs: limits.waitMs,
      dimension,
      onTimed: (timing) => onTimed(name === 'vision' ? 'picture' : 'text', timing),
      fatal: name === 'vision' ? fatalPicture : fatalText,
      clock: systemClock,
      log,
    })
  }

  const texts = createPool('text', 1, { tasksMax: limits.textsMax, bytesMax: limits.textBytesMax })
  const pictures = createPool('vision', lanes, {
    tasksMax: limits.picturesMax,
    bytesMax: limits.pictureBytesMax,
  })

  const close = async () => {
    await Promise.all([texts.close(), pictures.close()])
  }
  // The processes load on other cores while this hashes 19 MB.
  const files = orClose(() => readModelFiles(modelDir, options.modelHash), close)
  const model = { ...files.fingerprint, id: options.modelId ?? files.fingerprint.id }
  for (const warning of files.warnings) log.warn({ model: model.id }, warning)

  const status = (): EmbedderStatus => {
    const both = [texts.status, pictures.status]
    return (
      both.find(({ state }) => state === 'failed') ??
      both.find(({ state }) => state === 'starting') ?? { state: 'ready' }
    )
  }

  return {
    model,
    calibration: files.calibration,
    status,
    async settled() {
      await Promise.all([texts.settled, pictures.settled])
      return status()
    },
    async embedPicture(bytes, options) {
      refuseEndless(options.crop)
      const { isTruncated, unknownShare, unknownWords, doubtfulWords, words, ...picture } =
        await pictures.embed(bytes, options)
      return picture
    },
    async seePicture(bytes, options) {
      const { facts, thumbnail } = await pictures.embed(bytes, { ...options, isOnlySeen: true })
      return { facts, ...(thumbnail && { thumbnail }) }
    },
    announcePicture: (bytes, options) => pictures.announce(bytes, options),
    async embedText(text, priority) {
      const options = { priority, storeId: NO_STORE }
      const answer = await texts.embed(new TextEncoder().encode(text), options)
      const { vector, isTruncated, unknownShare, unknownWords, doubtfulWords, words } = answer
      const knowledge = { unknownShare, unknownWords, doubtfulWords, words, isUnknown: unknownShare === 1 }
      return { vector, isTruncated, ...knowledge }
    },
    pids: () => ({ text: texts.pids, vision: pictures.pids }),
    gauges: {
      watch(listener) {
        onTimed = listener
      },
      readQueues: () => ({ text: texts.figures, picture: pictures.figures }),
      readMemoryBytes: () => ({ text: sumMemory(texts.pids), picture: sumMemory(pictures.pids) }),
    },
    queueDepth: () => ({ texts: texts.queued, pictures: pictures.queued }),
    close,
  }
}

/** @returns undefined where the kernel tells of none of the processes. */
function sumMemory(pids: readonly number[]): number | undefined {
  const known = pids.flatMap((pid) => readProcessState(pid)?.residentBytes ?? [])
  return known.length === 0 ? undefined : known.reduce((total, bytes) => total + bytes, 0)
}

/** JSON, which the processes speak, has no word for numbers without an end. */
function refuseEndless(crop: PictureCrop | undefined): void {
  if (!crop) return
  const { x, y, width, height, padding = 0 } = crop
  if ([x, y, width, height, padding].every(Number.isFinite)) return
  throw new ApiError('crop_too_small', 'The crop lies outside the picture')
}

function orClose<T>(read: () => T, close: () => Promise<void>): T {
  try {
    return read()
  } catch (error) {
    void close()
    throw error
  }
}

const fatalPicture = (reason: string): ApiError =>
  new ApiError('image_unreadable', 'The picture cannot be decoded: the decoder had to be restarted', {
    details: { cause: 'the decoder stopped' },
    cause: reason,
  })

const fatalText = (reason: string): ApiError =>
  new ApiError('model_not_ready', 'The text model had to be restarted', {
    retryAfterSeconds: 1,
    cause: reason,
  })
