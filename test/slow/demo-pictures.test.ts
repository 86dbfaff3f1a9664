import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { DRAWINGS } from '../../scripts/demo/drawings.ts'
import { buildPicturePath, drawPicture } from '../../scripts/demo/render.ts'
import { readRepetitions } from '../robustness/random.ts'

const NAMES = Object.keys(DRAWINGS)
/** A drawing takes two seconds, so only some of them are drawn with every change. */
const DRAWN = readRepetitions('DEMO_PICTURES', 8)
const EVERY = Math.ceil(NAMES.length / DRAWN)

/** Other processors round a few drawn coordinates differently. */
const LEVELS_APART_MAX = 2

async function pixelsOf(picture: string | Buffer) {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  return { data, size: [info.width, info.height, info.channels] }
}

test.each(NAMES.filter((_, at) => at % EVERY === 0))(
  'the committed picture %s is the one that is drawn',
  async (name) => {
    const committed = await pixelsOf(buildPicturePath(name))
    const drawn = await pixelsOf(await drawPicture(name))
    expect(drawn.size).toEqual(committed.size)
    const apart = drawn.data.reduce(
      (most, level, at) => Math.max(most, Math.abs(level - (committed.data[at] ?? 0))),
      0,
    )
    expect(apart).toBeLessThanOrEqual(LEVELS_APART_MAX)
  },
  60_000,
)
