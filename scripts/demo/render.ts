/**
 * Draws the demo pictures, which are committed in the source tree. All of them take about a minute.
 *
 *     bun scripts/demo/render.ts [part of a name …]
 *
 * `test/slow/demo-pictures.test.ts` fails if the committed files differ from the drawings.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import sharp from 'sharp'
import { DRAWINGS } from './drawings.ts'

const FOLDER = join(import.meta.dirname, '../../src/features/catalogue/demo/pictures')

/** WebP quality. At this size, all 46 pictures take less than 2 MB. */
const QUALITY = 92

/** Builds the path of a picture's committed file. */
export const buildPicturePath = (name: string): string => join(FOLDER, `${name}.webp`)

/**
 * Draws one picture as WebP. On one machine, the bytes are always the same.
 *
 * @throws Error for a name without a drawing.
 */
export async function drawPicture(name: string): Promise<Buffer> {
  const drawing = DRAWINGS[name]
  if (!drawing) throw new Error(`No such drawing: ${name}`)
  // The drawings have tens of thousands of facets, more text than libxml allows by default.
  return sharp(Buffer.from(drawing()), { unlimited: true })
    .webp({ quality: QUALITY, smartSubsample: true, effort: 5 })
    .toBuffer()
}

async function drawPictures(names: readonly string[]): Promise<void> {
  // Other threads rasterise the pictures while the next ones are drawn.
  const limit = pLimit(availableParallelism())
  await Promise.all(
    names.map((name) => limit(async () => Bun.write(buildPicturePath(name), await drawPicture(name)))),
  )
}

if (import.meta.main) {
  const wanted = process.argv.slice(2)
  const names = Object.keys(DRAWINGS).filter(
    (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  )
  await drawPictures(names)
  console.log(`${names.length} pictures in ${FOLDER}`)
}
