/** Sends `GET /health` again and again from its own thread, and posts each response time in milliseconds. */
declare const self: Worker

self.onmessage = async ({ data: address }: MessageEvent<string>) => {
  for (;;) {
    const startedAt = performance.now()
    await (await fetch(`${address}/health`)).text()
    self.postMessage(performance.now() - startedAt)
  }
}
