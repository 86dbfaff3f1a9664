import type { Told } from './judge.ts'

/** A shop's backend that takes the events of webhooks, and always answers 200. */
export interface Receiver extends AsyncDisposable {
  url: string
  told: readonly Told[]
  /** Waits until nothing has come for so long. */
  untilQuiet(quietMs: number, withinMs: number): Promise<void>
}

interface Envelope {
  event?: unknown
  data?: { product_id?: unknown; updated_at?: unknown }
}

export function openReceiver(): Receiver {
  const told: Told[] = []
  let lastAt = performance.now()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { event, data } = (await request.json()) as Envelope
      lastAt = performance.now()
      if (event === 'product.updated')
        told.push({
          ...{ product: String(data?.product_id), moment: String(data?.updated_at) },
          delivery: request.headers.get('webhook-id') ?? '',
        })
      return new Response('')
    },
  })
  return {
    ...{ url: `http://127.0.0.1:${server.port}/hook`, told },
    async untilQuiet(quietMs, withinMs) {
      const deadline = performance.now() + withinMs
      while (performance.now() - lastAt < quietMs && performance.now() < deadline) await Bun.sleep(100)
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}
