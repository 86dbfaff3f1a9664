/** Random unit vectors from a seed, so that a failing test can be run again. */
export function unitVectors(dimension: number, seed: number): () => Float32Array {
  let state = seed >>> 0 || 1
  const uniform = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32 - 0.5
  }
  return () => normalised(Float32Array.from({ length: dimension }, () => uniform() + uniform() + uniform()))
}

export function normalised(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(dot(vector, vector))
  return vector.map((x) => x / norm)
}

/** In double precision, whatever the vectors hold. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
