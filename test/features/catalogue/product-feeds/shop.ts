import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemIds } from '../../../../src/core/ids.ts'
import { parseCidrs } from '../../../../src/core/networks.ts'
import type { PlanName } from '../../../../src/core/plans.ts'
import type { Feed } from '../../../../src/features/catalogue/product-feeds/schema.ts'
import { createFileDownloads, type FileLimits } from '../../../../src/platform/outbound/downloads.ts'
import { createEgress } from '../../../../src/platform/outbound/egress.ts'
import { createWorkFiles } from '../../../../src/platform/work-files.ts'
import type { Ports } from '../../../../src/ports.ts'
import { createServers } from '../../../platform/pictures/servers.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { openStore } from '../../../support/storage.ts'

export type Shop = Awaited<ReturnType<typeof openShop>>

interface ShopOptions extends Partial<Ports> {
  plan?: PlanName
  limits?: Partial<FileLimits>
}

/** A program, a store on it, and a web server of a shop with one file. */
export async function openShop({ plan = 'enterprise', limits = {}, ...ports }: ShopOptions = {}) {
  const servers = createServers()
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-feeds-'))
  const stop = new AbortController()
  const requests: IncomingMessage[] = []
  const shop = {
    file: '' as string | Uint8Array,
    /** Whether the shop knows its file again. */
    hasMarks: true,
    answer: (request: IncomingMessage, response: ServerResponse): void => {
      const etag = `"${createHash('sha256').update(shop.file).digest('hex').slice(0, 16)}"`
      if (shop.hasMarks && request.headers['if-none-match'] === etag) {
        response.writeHead(304).end()
        return
      }
      response.writeHead(200, { 'content-type': 'text/csv', ...(shop.hasMarks && { etag }) }).end(shop.file)
    },
  }
  const port = await servers.http((request, response) => {
    requests.push(request)
    shop.answer(request, response)
  })
  /** The way to the shop, until the stop of a program. */
  const openDownloads = (signal: AbortSignal) =>
    createFileDownloads({
      egress: createEgress({
        allowCidrs: parseCidrs('127.0.0.0/8'),
        isOffline: false,
        lookup: async () => [],
      }),
      files: createWorkFiles(folder, { isKept: false }),
      ids: systemIds,
      stop: signal,
      limits: { pauseMs: 0, retryMs: 1, ...limits },
    })
  const app: TestApp = testApp({ downloads: openDownloads(stop.signal), stop: stop.signal, ...ports })
  const { token, storeId } = await openStore(app, plan)
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, `/v1/feeds${path}`, { token, headers, ...(body !== undefined && { body }) })
  const read = async (id: string) => (await call('GET', `/${id}`)).body as unknown as Feed

  /** Does all that is due, until nothing is. */
  async function settle(): Promise<void> {
    for (;;) {
      app.feeds.wake()
      await app.feeds.drain()
      const { feeds } = (await call('GET', '')).body as unknown as { feeds: Feed[] }
      const busy = feeds.filter(({ status }) => status === 'running')
      if (busy.length === 0) return
      for (const { last_run } of busy) {
        if (last_run?.job_id && last_run.status === 'importing') {
          await app.jobs.waitUntilOver(storeId, last_run.job_id)
        }
      }
    }
  }

  const url = `http://127.0.0.1:${port}/products.csv`
  /** Makes a feed of the shop's file and waits for its first run. */
  async function add(body: Record<string, unknown> = {}): Promise<Feed> {
    const answer = await call('POST', '', { url, ...body })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    await settle()
    return read(String(answer.body['id']))
  }

  return {
    ...{ app, openDownloads, token, storeId, shop, url, port, requests, stop, call, read, settle, add },
    /** Asks for a run and waits for its end. */
    async run(id: string, body?: Record<string, unknown>): Promise<Feed> {
      const { status, body: answer } = await call('POST', `/${id}/run`, body)
      if (status !== 202) throw new Error(JSON.stringify(answer))
      await settle()
      return read(id)
    },
    /** Lets the time of the next run come, and waits for its end. */
    async waitForNext(id: string): Promise<Feed> {
      const { next_run_at } = await read(id)
      app.clock.advance(Math.max(0, Date.parse(next_run_at ?? '') - app.clock.now()))
      await settle()
      return read(id)
    },
    /** The table of some products, with a picture each. */
    table: (...ids: (string | number)[]): string =>
      ['id,image,name', ...ids.map((id) => `${id},${app.picture(String(id), 1)},Product ${id}`), ''].join(
        '\n',
      ),
    /** The ids of the store's products. */
    list: (): string[] =>
      app.db
        .prepare<[string], string>('SELECT product_id FROM products WHERE store_id = ? ORDER BY product_id')
        .pluck()
        .all(storeId),
    filesLeft: () => (existsSync(folder) ? readdirSync(folder) : []),
    async close(): Promise<void> {
      stop.abort()
      servers.stop()
      await app.feeds.drain()
      await app.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Numbers from one to another, as ids. */
export const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(3, '0'))
