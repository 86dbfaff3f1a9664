import type { Embedder } from '../../src/platform/embedder/embedder.ts'
import { fakeEmbedder } from './embedder.ts'

/** Creates the fake model with a gate: each picture waits until the gate is open. */
export function gatedEmbedder() {
  const fake = fakeEmbedder()
  let opened = Promise.resolve()
  let open = () => {}
  let waiting = 0
  const watchers: { count: number; resolve: () => void }[] = []

  const embedder: Embedder = {
    ...fake,
    async embedPicture(bytes, options) {
      waiting++
      for (const { count, resolve } of watchers) if (waiting >= count) resolve()
      await opened
      waiting--
      return fake.embedPicture(bytes, options)
    },
  }
  return {
    embedder,
    close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      opened = promise
      open = resolve
    },
    open: () => open(),
    /** Resolves when this many pictures wait at the gate. */
    waited: (count = 1) =>
      new Promise<void>((resolve) => {
        watchers.push({ count, resolve })
        if (waiting >= count) resolve()
      }),
  }
}
