import { readGolden } from '../model-files.ts'
import { UnusableModel } from '../model-layout.ts'

/**
 * The lowest cosine that passes.
 *
 * The picture that EXIF turns gives 0.995, because the reference turns it before it makes it small; all others give at least
 * 0.999. Noise of 0.000001 on the input, like another kernel that rounds differently, leaves 0.994. Real faults give
 * less on at least one picture: 0.89 for swapped channels, 0.41 for a rotated picture, 0.64 without the rotation of
 * EXIF, 0.77 without alpha on white, 0.95 for another range of values, 0.978 for another resampling filter, 0.983 for
 * a mirrored picture or one that is shifted by 4 pixels. Measured with lookalike-clip-v1.
 */
const GOLDEN_COSINE_MIN = 0.985

/**
 * Embeds the golden pictures on the same path as requests and compares the vectors.
 *
 * @returns the lowest cosine, or null when the model has no `golden.json`.
 * @throws Error naming the first item that differs.
 */
export async function testPictures(
  modelDir: string,
  embed: (bytes: Uint8Array) => Promise<Float32Array>,
): Promise<number | null> {
  const pictures = readGolden(modelDir)?.pictures
  if (!pictures) return null
  let worst = 1
  for (const { name, file, vector } of pictures) {
    const actual = await embed(Buffer.from(file, 'base64'))
    worst = Math.min(worst, compareVectors(name, actual, vector))
  }
  return worst
}

/** Like {@link testPictures}, for texts. */
export async function testTexts(
  modelDir: string,
  embed: (text: string) => Promise<Float32Array>,
): Promise<number | null> {
  const texts = readGolden(modelDir)?.texts
  if (!texts) return null
  let worst = 1
  for (const { text, vector } of texts)
    worst = Math.min(worst, compareVectors(text, await embed(text), vector))
  return worst
}

/**
 * Runs a model once that has no golden vectors, because damaged weights and towers of other shapes load without a word.
 *
 * @throws UnusableModel
 */
export async function tryOnce(path: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (error instanceof UnusableModel) throw error
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 160)
    throw new UnusableModel(
      `${path} does not fit the other files of the folder: take all of them from one export (${reason})`,
    )
  }
}

/** @returns the cosine. @throws Error when it is too low. */
function compareVectors(name: string, actual: Float32Array, expectedBase64: string): number {
  const expected = new Float32Array(new Uint8Array(Buffer.from(expectedBase64, 'base64')).buffer)
  if (expected.length !== actual.length)
    throw new Error(`"${name}" gives ${actual.length} numbers instead of ${expected.length}`)
  let dot = 0
  let square = 0
  for (const [i, value] of expected.entries()) {
    dot += value * (actual[i] ?? 0)
    square += value * value
  }
  const cosine = dot / Math.sqrt(square)
  if (!(cosine >= GOLDEN_COSINE_MIN)) {
    throw new Error(`"${name}" gives a vector with cosine ${cosine.toFixed(4)} to the expected vector`)
  }
  return cosine
}
