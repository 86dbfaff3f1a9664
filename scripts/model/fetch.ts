/**
 * Downloads a CLIP-family export from the Hugging Face hub into a model folder.
 *
 * It serves people who want another model than the bundled one; the service itself never downloads a model. Each file is
 * checked against the hash in the hub's file list, and for the default model against the hashes below. The folder
 * appears complete or not at all.
 */
import { createHash, type Hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  download,
  FetchModelError,
  type FetchModelOptions,
  formatError,
  isRecord,
  type ListedFile,
  listFiles,
  resolveCommit,
  type Say,
} from './hub.ts'

const DEFAULT_MODEL = 'Xenova/clip-vit-base-patch32'
const DEFAULT_REVISION = 'd15189d7028b43f1d3e65039190477f6af591c2a'
const DEFAULT_ENDPOINT = 'https://huggingface.co'

/** SHA-256 of the default model's files at the default revision, so that not even the hub can swap them. */
const DEFAULT_HASHES: Readonly<Record<string, string>> = {
  'config.json': '493ef57ff783e42d1530c91b53469b7fdf8db8a9c1408e86998fcb7899a4f495',
  'preprocessor_config.json': '6f638fb9401a6d6296feff533ee7efe657b787c49f954f82f5906b36ef2a1b1f',
  'special_tokens_map.json': 'c4864a9376a8401918425bed71fc14fc0e81f9b59ec45c1cf96cccb2df508eac',
  'tokenizer.json': 'f7f3b7af117d467b58374797691a6438d3e6b9e9cef800dfd5dced7f697a90cd',
  'tokenizer_config.json': '60ba2912bc6344c94bc16bbdec27fa1209409167b6f2fdf3cfe9e65462ea3967',
  'onnx/text_model_quantized.onnx': '73baab855d406190da9faa498cfedf65f15cf309f4cc7385b7b032e6d08e5c3a',
  'onnx/vision_model_quantized.onnx': '583fd1110a514667812fee7d684952aaf82a99b959760c8d7dca7e0ab9839299',
}

const MEBIBYTE = 1024 * 1024
/** A multilingual tokenizer takes 17 MB; no tokenizer takes much more. */
const JSON_BYTES_MAX = 32 * MEBIBYTE
/** The 8-bit towers of ViT-L/14 take 124 and 307 MB. */
const WEIGHTS_BYTES_MAX = 1024 * MEBIBYTE
/** Longest silence of the server before the download is given up. */
const STALL_MS = 60_000

/** In the order of download: small files first, because they decide whether the model is usable. */
const WANTED = [
  'config.json',
  'preprocessor_config.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'tokenizer.json',
  'onnx/text_model_quantized.onnx',
  'onnx/vision_model_quantized.onnx',
]
/** Newer exports contain these tokens in tokenizer.json only. */
const OPTIONAL = 'special_tokens_map.json'

const HELP = `Downloads a CLIP-family model from the Hugging Face hub into a model folder.

Usage: bun scripts/model/fetch.ts [options]

  --model ID        owner/name on the hub      (default ${DEFAULT_MODEL})
  --revision REV    commit, branch or tag      (default for the default model: its pinned commit; else main)
  --out FOLDER      the model folder           (default models/<name>)
  --endpoint URL    the hub, or a mirror of it (default ${DEFAULT_ENDPOINT})
  --help            print this text

The model must be public, of model_type clip, and contain onnx/text_model_quantized.onnx and
onnx/vision_model_quantized.onnx. The script checks every file against its hash. After an interruption, the
same command continues with the first missing file.

Example:
  bun scripts/model/fetch.ts --model Xenova/clip-vit-base-patch16 --revision main --out models/clip-b16

Exit codes: 0 success, 1 failure, 2 wrong usage.`

const formatNextSteps = (folder: string): string => `
Next, create its self-test and calibrate its scores:
  bun scripts/model/golden.ts ${folder}
  bun scripts/model/calibrate.ts ${folder}`

const formatSize = (bytes: number): string =>
  bytes < MEBIBYTE ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`

const createFileHash = ({ expected, sizeBytes }: ListedFile): Hash =>
  expected.algorithm === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${sizeBytes}\0`)

/** Whether a file exists with the right length and hash. */
const isVerified = async (path: string, file: ListedFile): Promise<boolean> => {
  const source = Bun.file(path)
  if (!(await source.exists()) || source.size !== file.sizeBytes) return false
  const hash = createFileHash(file)
  for await (const chunk of source.stream()) hash.update(chunk)
  return hash.digest('hex') === file.expected.hex
}

/** Chooses the files to download and checks their sizes. The pinned model gets our own hashes. */
const chooseFiles = (listed: Map<string, ListedFile>, isPinned: boolean, model: string): ListedFile[] =>
  WANTED.flatMap((path) => {
    const file = listed.get(path)
    const isWeights = path.startsWith('onnx/')
    if (file === undefined) {
      if (path === OPTIONAL) return []
      const hint = isWeights
        ? ' (needs an 8-bit transformers.js export with separate text and vision models)'
        : ''
      throw new FetchModelError(`${model} has no ${path}${hint}`)
    }
    const sizeBytesMax = isWeights ? WEIGHTS_BYTES_MAX : JSON_BYTES_MAX
    if (file.sizeBytes > sizeBytesMax) {
      throw new FetchModelError(
        `${path} is too large: ${formatSize(file.sizeBytes)} > ${formatSize(sizeBytesMax)}`,
      )
    }
    const hex = isPinned ? DEFAULT_HASHES[path] : undefined
    return [hex === undefined ? file : { ...file, expected: { algorithm: 'sha256' as const, hex } }]
  })

/** Downloads a file under a temporary name and renames it once its length and hash are right. */
const storeFile = async (url: string, file: ListedFile, target: string, stallMs: number): Promise<void> => {
  await mkdir(dirname(target), { recursive: true })
  const temporary = `${target}.part`
  const hash = createFileHash(file)
  let received = 0
  const handle = await open(temporary, 'w')
  try {
    for await (const chunk of download(url, file.sizeBytes, stallMs)) {
      hash.update(chunk)
      received += chunk.length
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  const actual = hash.digest('hex')
  if (received !== file.sizeBytes || actual !== file.expected.hex) {
    await rm(temporary, { force: true })
    throw new FetchModelError(
      `${file.path} is not the expected file (${file.expected.algorithm} ${actual}, ${received} bytes; ` +
        `expected ${file.expected.hex}, ${file.sizeBytes} bytes)`,
    )
  }
  await rename(temporary, target)
}

const readDimension = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined

/**
 * Checks that config.json describes a CLIP model.
 *
 * @returns the text to write instead if only the towers name the dimension; undefined if the file is complete.
 */
const completeConfig = async (path: string): Promise<string | undefined> => {
  let config: unknown
  try {
    config = await Bun.file(path).json()
  } catch {
    throw new FetchModelError('config.json is not JSON')
  }
  const type = isRecord(config) ? config['model_type'] : undefined
  if (!isRecord(config) || type !== 'clip') {
    throw new FetchModelError(`config.json says model_type ${JSON.stringify(type)}; only "clip" is supported`)
  }
  if (readDimension(config['projection_dim']) !== undefined) return undefined
  const [text, vision] = ['text_config', 'vision_config'].map((tower) => {
    const part = config[tower]
    return readDimension(isRecord(part) ? part['projection_dim'] : undefined)
  })
  if (text === undefined || text !== vision) {
    throw new FetchModelError('config.json has no projection_dim, and its towers do not give the same one')
  }
  return `${JSON.stringify({ ...config, projection_dim: text }, null, 2)}\n`
}

/** Fills an empty or partly filled folder and keeps the verified files of an earlier run. */
const fillFolder = async (
  options: FetchModelOptions,
  source: { commit: string; files: ListedFile[]; folder: string; stallMs: number },
  say: Say,
) => {
  let config: string | undefined
  for (const file of source.files) {
    const target = join(source.folder, file.path)
    if (await isVerified(target, file)) say(`${file.path}: already here`)
    else {
      say(`${file.path}: ${formatSize(file.sizeBytes)}`)
      const url = `${options.endpoint}/${options.model}/resolve/${source.commit}/${file.path}`
      await storeFile(url, file, target, source.stallMs)
    }
    if (file.path === 'config.json') config = await completeConfig(target)
  }
  // A run for another model may have left it.
  if (!source.files.some((file) => file.path === OPTIONAL))
    await rm(join(source.folder, OPTIONAL), { force: true })
  if (config === undefined) return
  // Comes last, so that until then config.json matches its hash.
  await Bun.write(join(source.folder, 'config.json'), config)
  say('config.json: projection_dim taken from the towers')
}

/** Whether a finished folder contains these files; config.json may differ by the projection_dim that we added. */
const isComplete = async (folder: string, files: ListedFile[]): Promise<boolean> => {
  for (const file of files) {
    const path = join(folder, file.path)
    if (await isVerified(path, file)) continue
    if (file.path !== 'config.json' || (await completeConfig(path).catch(() => 'unusable'))) return false
  }
  return true
}

/**
 * Downloads one model and returns its folder as an absolute path.
 *
 * It leaves a folder with the same files unchanged. Until all files are verified, they are in `<out>.partial`, where a
 * later run finds them.
 *
 * @throws FetchModelError if the hub does not answer, the model is not supported, a file does not match its hash, or
 *   `out` contains something else.
 */
export const fetchModel = async (options: FetchModelOptions, say: Say): Promise<string> => {
  const stallMs = options.stallMs ?? STALL_MS
  const out = resolve(options.out)
  const commit = await resolveCommit(options, stallMs, say)
  const listed = await listFiles(options, commit, stallMs)
  const isPinned = options.model === DEFAULT_MODEL && commit === DEFAULT_REVISION
  const files = chooseFiles(listed, isPinned, options.model)
  if (await isComplete(out, files)) {
    say('Nothing to do: the folder already contains these files')
    return out
  }
  if (existsSync(out) && (await readdir(out)).length > 0) {
    throw new FetchModelError(`${out} contains something else: remove it, or choose another --out`)
  }
  const folder = `${out}.partial`
  await fillFolder(options, { commit, files, folder, stallMs }, say)
  await rename(folder, out)
  return out
}

const parseOptions = (args: string[]): FetchModelOptions | 'help' => {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: 'string', default: DEFAULT_MODEL },
      revision: { type: 'string' },
      out: { type: 'string' },
      endpoint: { type: 'string', default: DEFAULT_ENDPOINT },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { model } = values
  if (!/^\w[\w.-]*\/\w[\w.-]*$/.test(model)) throw new TypeError(`--model must be owner/name, not "${model}"`)
  const revision = values.revision ?? (model === DEFAULT_MODEL ? DEFAULT_REVISION : 'main')
  if (!/^\w[\w./-]*$/.test(revision)) throw new TypeError(`--revision cannot be "${revision}"`)
  if (!URL.canParse(values.endpoint) || !/^https?:$/.test(new URL(values.endpoint).protocol)) {
    throw new TypeError(`--endpoint must be an http or https address, not "${values.endpoint}"`)
  }
  const out = values.out ?? join('models', basename(model))
  if (out === '') throw new TypeError('--out is empty')
  return { model, revision, out, endpoint: values.endpoint.replace(/\/+$/, '') }
}

/** Runs the command line. @returns the exit code. */
const main = async (args: string[]): Promise<number> => {
  let options: FetchModelOptions | 'help'
  try {
    options = parseOptions(args)
  } catch (error) {
    console.error(`${formatError(error)}\n\n${HELP}`)
    return 2
  }
  if (options === 'help') {
    console.log(HELP)
    return 0
  }
  try {
    const folder = await fetchModel(options, (line) => console.log(line))
    console.log(`\n${options.model} is in ${folder}\n${formatNextSteps(folder)}`)
    return 0
  } catch (error) {
    console.error(`Failed: ${formatError(error)}`)
    return 1
  }
}

if (import.meta.main) process.exitCode = await main(Bun.argv.slice(2))
