/** Dimensions of the bundled model. */
export const DIMENSION = 512

/** How far the pictures of one kind lie from its centre; their cosines with each other are about 0.96. */
const SPREAD = 0.2

/**
 * Generates unit vectors, the same in every run.
 *
 * @param kinds how many kinds of near duplicates they form, as the pictures of a catalogue do; 0 for vectors that have
 *   nothing to do with each other.
 */
export function* generateVectors(count: number, kinds = 0, dimension = DIMENSION): Generator<Float32Array> {
  const drawCentre = createSource(7)
  const centres = Array.from({ length: kinds }, () => normalise(fill(drawCentre, dimension)))
  const draw = createSource(1)
  for (let n = 0; n < count; n++) {
    const vector = normalise(fill(draw, dimension))
    const centre = centres[n % kinds]
    if (centre) {
      for (let i = 0; i < dimension; i++) vector[i] = (centre[i] ?? 0) + SPREAD * (vector[i] ?? 0)
      normalise(vector)
    }
    yield vector
  }
}

/** Numbers between -0.5 and 0.5. */
function createSource(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

function fill(draw: () => number, dimension: number): Float32Array {
  const vector = new Float32Array(dimension)
  for (let i = 0; i < dimension; i++) vector[i] = draw()
  return vector
}

/** Changes a vector to length 1. */
function normalise(vector: Float32Array): Float32Array {
  let square = 0
  for (const x of vector) square += x * x
  const factor = 1 / Math.sqrt(square)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * factor
  return vector
}
