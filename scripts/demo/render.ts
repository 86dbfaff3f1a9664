/**
 * Draws the demo pictures into the source tree, where they are committed: about a minute for all of them.
 *
 *     bun scripts/demo/render.ts [part of a name …]
 *
 * `test/slow/demo-pictures.test.ts` fails when the committed files are not what this draws.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import sharp from 'sharp'
import { DRAWINGS } from './drawings.ts'

const FOLDER = join(import.meta.dirname, '../../src/features/catalogue/demo/pictures')

/** WebP quality; at this size the 46 pictures take less than 2 MB together. */
const QUALITY = 92

/** Returns the committed file of a picture. */
export const picturePath = (name: string): string => join(FOLDER, `${name}.webp`)

/**
 * Draws one picture as WebP; the same bytes every time on one machine.
 *
 * @throws Error for a name without a drawing.
 */
export async function drawPicture(name: string): Promise<Buffer> {
  const drawing = DRAWINGS[name]
  if (!drawing) throw new Error(`There is no drawing ${name}`)
  // The drawings have tens of thousands of facets, more text than libxml allows by default.
  return sharp(Buffer.from(drawing()), { unlimited: true })
    .webp({ quality: QUALITY, smartSubsample: true, effort: 5 })
    .toBuffer()
}

async function drawPictures(names: readonly string[]): Promise<void> {
  // Pictures are rasterised on other threads while the next ones are drawn.
  const limit = pLimit(availableParallelism())
  await Promise.all(
    names.map((name) => limit(async () => Bun.write(picturePath(name), await drawPicture(name)))),
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
