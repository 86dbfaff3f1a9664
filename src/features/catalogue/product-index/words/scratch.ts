/** Arrays that queries share, because none outlives its tick. */
export type Scratch = ReturnType<typeof createScratch>

export function createScratch() {
  let [scores, best] = [new Float32Array(0), new Float32Array(0)]
  let [found, touched] = [new Uint32Array(0), new Uint32Array(0)]
  let count = 0
  return {
    /** Arrays for documents below a number; those of the query before are cleared. */
    open(documents: number) {
      for (let n = 0; n < count; n++) scores[found[n] as number] = 0
      count = 0
      if (scores.length < documents) {
        const length = Math.ceil(documents * 1.25)
        scores = new Float32Array(length)
        best = new Float32Array(length)
        found = new Uint32Array(length)
        touched = new Uint32Array(length)
      }
      return { scores, best, found, touched }
    },
    /** Says how many documents stand in `found`. */
    close(documents: number): void {
      count = documents
    },
  }
}
