/** Aborts its signal when nothing happens for too long. */
export function createPatience() {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  const waitFor = (ms: number) => {
    end()
    timer = setTimeout(() => controller.abort(), ms)
  }
  return {
    signal: controller.signal,
    waitFor,
    end,
    async *watch(pieces: AsyncIterable<Uint8Array>, ms: number): AsyncGenerator<Uint8Array> {
      waitFor(ms)
      for await (const piece of pieces) {
        // The time in which the caller writes the piece does not count against the server.
        end()
        yield piece
        waitFor(ms)
      }
      end()
    },
  }
}
