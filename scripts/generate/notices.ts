/**
 * Collects the licences and notices of everything that the executable contains in `dist/generated/notices.txt.gz`, and the
 * names of the npm packages among them in `notices.json`: `bun scripts/generate/notices.ts`. It fails for anything that
 * has none.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundledModelName } from '../../src/platform/native/model-folder.ts'
import { ACME_CLIENT_SWAPS } from '../build/acme-client.ts'
import { listFiles } from '../build/parts.ts'
import { createSwapPlugin } from '../build/swap-plugin.ts'
import { findTarget, nameThisMachine } from '../build/targets.ts'
import { UNUSED_SWAPS } from '../build/unused.ts'
import {
  collectComponent,
  collectLibvips,
  collectPackage,
  findPackages,
  type Notice,
  readText,
} from './notices/collect.ts'
import { BUN, DATA, LITESTREAM, ONNXRUNTIME } from './notices/components.ts'
import { describeCard, describeModel } from './notices/model.ts'

const repository = resolve(import.meta.dir, '../..')
const nodeModules = join(repository, 'node_modules')

/** Packages whose files the executable carries as they are, or compiled into its own. */
const CARRIED = ['@huggingface/tokenizers', 'assemblyscript', 'preact', 'swagger-ui-dist', 'uplot']

/** Everything that the notices tell of. */
export interface Notices {
  /** npm packages by name. */
  packages: Notice[]
  runtime: Notice[]
  libvips: Notice[]
  onnxruntime: Notice[]
  litestream: Notice[]
  data: Notice[]
}

/** Finds the npm packages whose code ends in the executable, by bundling it. */
async function findBundledPackages(): Promise<string[]> {
  const result = await Bun.build({
    entrypoints: ['src/main.ts', 'src/platform/vectors/scan-thread.ts'].map((path) => join(repository, path)),
    target: 'bun',
    format: 'esm',
    metafile: true,
    // They may not exist yet, and contain no package that is not carried.
    external: ['#generated/*'],
    // They leave whole packages out.
    plugins: [createSwapPlugin([...ACME_CLIENT_SWAPS, ...UNUSED_SWAPS])],
  })
  if (!result.success) throw new AggregateError(result.logs, 'The bundler failed')
  return findPackages(Object.keys(result.metafile?.inputs ?? {}))
}

/** @throws Error for anything without a licence. */
export async function collectNotices(): Promise<Notices> {
  const target = findTarget(nameThisMachine())
  const files = Object.values(
    listFiles(target, nodeModules, join(repository, 'models', bundledModelName)),
  ).flat()
  const native = findPackages(files.map(({ path }) => path))
  const names = new Set([...(await findBundledPackages()), ...native, ...CARRIED])
  const libvipsPackage = `@img/sharp-libvips-${target.sharp}`
  names.delete(libvipsPackage)
  const versions = JSON.parse(readFileSync(join(nodeModules, libvipsPackage, 'versions.json'), 'utf8'))
  return {
    packages: [...names].sort().map((name) => collectPackage(name, nodeModules)),
    runtime: BUN.map((component) =>
      collectComponent(component, component.name === 'Bun' ? `${Bun.version} (${Bun.revision})` : ''),
    ),
    libvips: collectLibvips(versions),
    onnxruntime: ONNXRUNTIME.map((component) => collectComponent(component)),
    litestream: LITESTREAM.map((component) => collectComponent(component)),
    data: DATA.map((component) => collectComponent(component)),
  }
}

const RULE = '='.repeat(80)

/** Formats the whole text. @param model what it tells of the model. */
export function formatNotices(notices: Notices, licence: string, model: string): string {
  const parts: [title: string, notices: Notice[]][] = [
    ['The runtime: Bun and what is linked into it', notices.runtime],
    ['libvips and the libraries inside it', notices.libvips],
    ['onnxruntime and what is linked into it', notices.onnxruntime],
    ['Litestream and what is linked into it (in an executable that was built with it)', notices.litestream],
    ['npm packages', notices.packages],
    ['Data in the model', notices.data],
  ]
  const all = parts.flatMap(([, list]) => list)
  const licences = [...new Set(all.flatMap((notice) => notice.licences))].sort()
  return [
    INTRODUCTION,
    ...parts.flatMap(([title, list]) =>
      list.length === 0 ? [] : [`${title}\n\n${list.map(formatLine).join('\n')}`],
    ),
    formatTitle('Lookalike', licence.trim()),
    formatTitle('The model', model),
    ...parts.flatMap(([, list]) =>
      list.map((notice) => formatTitle(formatLine(notice).trim(), formatTexts(notice))),
    ),
    ...licences.map((name) => formatTitle(`Full text: ${name}`, readText('licences', name))),
  ].join('\n\n')
}

const formatLine = ({ name, version, licence }: Notice): string =>
  `  ${[name, version].filter(Boolean).join(' ')}: ${licence}`

const formatTexts = ({ texts, licences }: Notice): string =>
  [...texts, ...(licences.length > 0 ? [`Full text below: ${licences.join(', ')}`] : [])].join('\n\n')

const formatTitle = (title: string, text: string): string => `${RULE}\n${title}\n${RULE}\n\n${text}`

const INTRODUCTION = readText('.', 'introduction')

const read = (...path: string[]) => readFileSync(join(repository, ...path), 'utf8')

/** Packs the notices of an executable with another model into `file`. @throws TargetError if the model names no licence. */
export async function writeNoticesWith(modelDir: string, file: string): Promise<void> {
  const model = describeModel(modelDir)
  const notices = { ...(await collectNotices()), data: [] }
  await Bun.write(file, Bun.gzipSync(formatNotices(notices, read('LICENSE'), model), { level: 9 }))
}

if (import.meta.main) {
  const notices = await collectNotices()
  const card = read('models', bundledModelName, 'MODEL_CARD.md')
  const text = formatNotices(notices, read('LICENSE'), describeCard(card))
  const packed = Bun.gzipSync(text, { level: 9 })
  const target = join(repository, 'dist/generated')
  await Bun.write(join(target, 'notices.json'), JSON.stringify(notices.packages.map(({ name }) => name)))
  await Bun.write(join(target, 'notices.txt.gz'), packed)
  console.log(`dist/generated/notices.txt.gz: ${packed.length} bytes, ${text.length} characters`)
}
