/**
 * Measures how well a service understands shoppers of eight languages, in a shop that writes English or nothing:
 *
 *     bun scripts/bench/meaning.ts [--executable dist/lookalike] [--sets demo,drawn] [--names all,none] [--misses]
 *
 * For each language some 200 phrases for the kinds of the sets (`quality/phrases.ts`) are searched. A phrase is understood where a
 * product of the right kind is among the first five hits. The same is measured with `interpret: false`, and the ratio is to English in
 * the same run. `--misses` lists what was not understood.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withInstall } from '../../src/commands/service/with-install.ts'
import { loadConfig } from '../../src/config.ts'
import { readToken, startMeasuredService } from './parts/process.ts'
import { printTable } from './parts/statistics.ts'
import { listPhrases, TONGUES } from './quality/phrases.ts'
import { readSets } from './quality/sets.ts'
import { describe, readShops, type Shop } from './quality/shops.ts'

const { values: flags } = parseArgs({
  options: {
    executable: { type: 'string' },
    sets: { type: 'string', default: 'demo,drawn' },
    names: { type: 'string', default: 'all,none' },
    misses: { type: 'boolean', default: false },
  },
})
const FIRST = 5

/** The demo catalogue names its categories in the plural. */
const isOf = (kind: string, right: readonly string[]): boolean =>
  right.some((one) => kind === one || kind === `${one}s` || kind === `${one}es`)

const sets = await readSets(flags.sets, [])
for (const shop of readShops(flags.names)) await measure(shop)
process.exit(0)

async function measure(shop: Shop): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-meaning-'))
  try {
    const credentials = await withInstall(
      loadConfig({}, { 'data-dir': folder }),
      ({ setup }) => setup.run({ email: 'bench@shop.test', password: 'a long password', storeName: 'Bench' }),
      { mayMake: true },
    )
    await using service = await startMeasuredService(folder, flags.executable, { OFFLINE: '1' })
    const token = await readToken(service.address, credentials)
    const call = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(service.address + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const answer = (await response.json()) as Record<string, unknown>
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
      return answer
    }
    const kinds = new Map<string, string>()
    for (const { name, catalogue } of sets) {
      for (const product of catalogue) {
        const product_id = `${name}-${product.product_id}`
        kinds.set(product_id, product.category)
        await call('/v1/products', {
          product_id,
          image_url: `data:image/jpeg;base64,${Buffer.from(product.bytes).toString('base64')}`,
          metadata: { ...describe(product, shop), price: 20 },
        })
      }
    }
    const search = async (query: string, interpret: boolean): Promise<string[]> => {
      const { results } = await call('/v1/search/text', {
        ...{ query, interpret, limit: FIRST, analytics: false, fields: [] },
      })
      return (results as { product_id: string }[]).map(({ product_id }) => kinds.get(product_id) ?? '')
    }
    const rows = [['language', 'phrases', 'right among 5', 'to English', 'share of the 5', 'as they are']]
    let english = 0
    for (const [language, tongue] of Object.entries(TONGUES)) {
      const phrases = listPhrases(tongue)
      const [found, asWritten] = [{ any: 0, share: 0 }, { any: 0 }]
      for (const { text, kinds: right } of phrases) {
        const hits = await search(text, true)
        const isRight = hits.filter((kind) => isOf(kind, right)).length
        if (isRight > 0) found.any++
        else if (flags.misses) console.log(`${language}: ${text}: ${hits.join(', ')}`)
        found.share += isRight / FIRST
        if ((await search(text, false)).some((kind) => isOf(kind, right))) asWritten.any++
      }
      const share = found.any / phrases.length
      if (language === 'en') english = share
      const percent = (part: number) => (100 * part).toFixed(1)
      rows.push([
        ...[language, String(phrases.length), percent(share), (share / english).toFixed(3)],
        ...[percent(found.share / phrases.length), percent(asWritten.any / phrases.length)],
      ])
    }
    console.log(`\n${flags.sets}, names ${shop}: ${kinds.size} products; in %`)
    printTable(rows)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
