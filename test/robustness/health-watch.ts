/** Asks for `/health` again and again, in a thread of its own, and tells each wait in milliseconds. */
declare const self: Worker

self.onmessage = async ({ data: address }: MessageEvent<string>) => {
  for (;;) {
    const startedAt = performance.now()
    await (await fetch(`${address}/health`)).text()
    self.postMessage(performance.now() - startedAt)
  }
}
