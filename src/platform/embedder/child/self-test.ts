import { readGolden } from '../model-files.ts'

/**
 * The lowest cosine that passes.
 *
 * int8 kernels round differently with and without VNNI, and a rounding of the last bit in a flat area moves many
 * values of the first layer at once: noise of 0.000001 on the input gives cosines of 0.992 to 0.999 on the golden
 * drawings. Real mistakes lie below on at least one of them: red and blue swapped 0.79, turned 0.46, another range
 * of numbers 0.94.
 */
const GOLDEN_COSINE_MIN = 0.97

/**
 * Embeds the golden pictures or texts on the path that requests take and compares.
 *
 * @returns the lowest cosine, or null when the model has no `golden.json`.
 * @throws Error naming the first item that differs.
 */
export async function pictureSelfTest(
  modelDir: string,
  embed: (bytes: Uint8Array) => Promise<Float32Array>,
): Promise<number | null> {
  const pictures = readGolden(modelDir)?.pictures
  if (!pictures) return null
  let worst = 1
  for (const { name, file, vector } of pictures) {
    const actual = await embed(Buffer.from(file, 'base64'))
    worst = Math.min(worst, agreement(name, actual, vector))
  }
  return worst
}

/** Like {@link pictureSelfTest}, for texts. */
export async function textSelfTest(
  modelDir: string,
  embed: (text: string) => Promise<Float32Array>,
): Promise<number | null> {
  const texts = readGolden(modelDir)?.texts
  if (!texts) return null
  let worst = 1
  for (const { text, vector } of texts) worst = Math.min(worst, agreement(text, await embed(text), vector))
  return worst
}

function agreement(name: string, actual: Float32Array, expectedBase64: string): number {
  const expected = new Float32Array(new Uint8Array(Buffer.from(expectedBase64, 'base64')).buffer)
  if (expected.length !== actual.length) throw new Error(`"${name}" gives ${actual.length} numbers`)
  let dot = 0
  let square = 0
  for (const [i, value] of expected.entries()) {
    dot += value * (actual[i] ?? 0)
    square += value * value
  }
  const cosine = dot / Math.sqrt(square)
  if (!(cosine >= GOLDEN_COSINE_MIN)) {
    throw new Error(`"${name}" gives a vector with cosine ${cosine.toFixed(4)} to the expected one`)
  }
  return cosine
}
