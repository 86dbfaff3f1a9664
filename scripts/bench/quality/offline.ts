import '../../model/silent.ts'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { openShop as openPictures } from '../../../src/commands/model-proof/shop.ts'
import type { QueryWords } from '../../../src/features/discovery/search/sides.ts'
import { createPictureDecoder } from '../../../src/platform/embedder/child/decoder.ts'
import { addVectors, loadTextModel, loadVisionModel } from '../../../src/platform/embedder/child/model.ts'
import { readTreatment } from '../../../src/platform/embedder/child/treatment.ts'
import type { PictureCrop, PictureFacts } from '../../../src/platform/embedder/embedder.ts'
import { readModelFiles } from '../../../src/platform/embedder/model-files.ts'
import type { LabelledSet } from './sets.ts'
import { describe, type Shop } from './shops.ts'

const ROOT = join(import.meta.dir, '../../..')
/** What the vectors and palettes of pictures depend on, beside the model. */
const SOURCES = ['src/platform/embedder/child', 'src/core/colours']

interface SeenPicture {
  vector: Float32Array
  palette: PictureFacts['palette']
}

export type Models = Awaited<ReturnType<typeof loadModels>>

interface Seen {
  pictures: Map<string, SeenPicture>
  words: Map<string, QueryWords>
}

/**
 * The model of a folder in this process. It remembers what it has seen in a file below `dist`, which counts as long as neither
 * the model nor the code that embeds has changed.
 *
 * @param addsObject overrides the folder's flag.
 */
export async function loadModels(modelDir: string, addsObject?: boolean) {
  const own = readTreatment(modelDir)
  const treatment = { ...own, addsObject: addsObject ?? own.addsObject }
  const decode = createPictureDecoder(treatment)
  const path = join(
    ROOT,
    `dist/bench/seen-${readModelFiles(modelDir).fingerprint.hash.slice(0, 16)}-${hashSources()}`,
  )
  const seen: Seen = existsSync(path)
    ? (deserialize(readFileSync(path)) as Seen)
    : { pictures: new Map(), words: new Map() }
  const known = { pictures: seen.pictures.size, words: seen.words.size }
  let vision: ReturnType<typeof loadVisionModel> | undefined
  let text: ReturnType<typeof loadTextModel> | undefined

  async function lookAt(bytes: Uint8Array, isIndexed: boolean, crop?: PictureCrop): Promise<SeenPicture> {
    vision ??= loadVisionModel(modelDir, treatment.input, 2)
    const { tensor, objectTensor, facts } = await decode(bytes, { isIndexed, ...(crop && { crop }) })
    const inputs = objectTensor ? [tensor, objectTensor] : [tensor]
    const vectors = await (await vision)(inputs.map((one) => ({ tensor: one })))
    return { vector: addVectors(vectors), palette: facts.palette }
  }

  async function readWords(query: string): Promise<QueryWords> {
    text ??= loadTextModel(modelDir, 1)
    const model = await text
    const [vector] = await model.embed([model.tokenize(query)])
    if (!vector) throw new Error('The model gave no vector')
    const known = await model.look(query)
    return { text: query, vector, ...known, isUnknown: known.unknownShare === 1 }
  }

  return {
    async see(bytes: Uint8Array, isIndexed = false, crop?: PictureCrop): Promise<SeenPicture> {
      const key = `${Bun.hash(bytes)} ${isIndexed && treatment.addsObject} ${JSON.stringify(crop)}`
      const known = seen.pictures.get(key) ?? (await lookAt(bytes, isIndexed, crop))
      seen.pictures.set(key, known)
      return known
    },
    async read(query: string): Promise<QueryWords> {
      const known = seen.words.get(query) ?? (await readWords(query))
      seen.words.set(query, known)
      return known
    },
    /** Writes what is new into the file. */
    async save(): Promise<void> {
      if (seen.pictures.size > known.pictures || seen.words.size > known.words)
        await Bun.write(path, serialize(seen))
    },
  }
}

function hashSources(): string {
  const files = SOURCES.flatMap((folder) => {
    const inner = join(ROOT, folder)
    return readdirSync(inner)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(inner, name), 'utf8'))
  })
  return Bun.hash(files.join('\n')).toString(16)
}

export type OpenShop = Awaited<ReturnType<typeof openShop>>

/** Opens a set as a shop that writes what `shop` says. */
export const openShop = ({ catalogue }: LabelledSet, shop: Shop, models: Models) =>
  openPictures(
    catalogue.map((picture) => ({
      ...{ productId: picture.product_id, article: picture.article, bytes: picture.bytes },
      metadata: describe(picture, shop),
    })),
    models,
  )
