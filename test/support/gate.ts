import type { Embedder } from '../../src/platform/embedder/embedder.ts'
import { fakeEmbedder } from './embedder.ts'

/** The fake model, with a gate before its pictures: each waits until the gate is open. */
export function gatedEmbedder() {
  const fake = fakeEmbedder()
  let opened = Promise.withResolvers<void>()
  let arrived = Promise.withResolvers<void>()
  let waiting = 0
  opened.resolve()

  const embedder: Embedder = {
    ...fake,
    async embedPicture(bytes, priority) {
      waiting++
      arrived.resolve()
      await opened.promise
      waiting--
      return fake.embedPicture(bytes, priority)
    },
  }
  return {
    embedder,
    close() {
      opened = Promise.withResolvers<void>()
      arrived = Promise.withResolvers<void>()
    },
    open: () => opened.resolve(),
    /** Until a picture waits at the gate. */
    waited: () => arrived.promise,
    waiting: () => waiting,
  }
}
