import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PHP = Bun.which('php')
const folder = mkdtempSync(join(tmpdir(), 'lookalike-snippet-'))
const SNIPPET = join(folder, 'snippet.php')
const STUBS = join(import.meta.dir, 'woocommerce-stubs.php')

interface Visit {
  status: number
  location: string | null
  script?: Record<string, unknown>
}

function visit(query: string): Visit {
  const { stdout, stderr, exitCode } = Bun.spawnSync([PHP as string, STUBS, SNIPPET, query])
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`)
  return JSON.parse(stdout.toString())
}

beforeAll(async () => {
  // The portal's own types know what an import of PHP is.
  const path = '../../../src/browser/portal/pages/widget/php-file.ts'
  const { writePhpFile } = await import(path)
  await Bun.write(SNIPPET, String(writePhpFile('https://s.test', 'pk_live_1')))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe.skipIf(PHP === null)('the snippet for WooCommerce', () => {
  test('gives results an address that leads on to the product', () => {
    const { status, location, script } = visit('')
    expect([status, location]).toEqual([200, null])
    expect(script?.['data-url']).toBe('https://shop.example/en/?lookalike={product_id}')
  })

  test.each([
    ['MUG-1', 7],
    ['8', 8],
    // The SKU goes before the id, as in an import.
    ['4711', 9],
    ['MUG-1-RED', 11],
  ])('leads from %s to its page', (id, page) => {
    const { status, location } = visit(`lookalike=${id}`)
    expect([status, location]).toEqual([302, `https://shop.example/product/${page}/`])
  })

  test.each([
    ...[
      'lookalike=',
      'lookalike=99',
      'lookalike=0',
      'lookalike=-8',
      'lookalike=8.0',
      'lookalike=DRAFT',
      'lookalike=10',
    ],
    ...[
      'lookalike=https://evil.example',
      `lookalike=${'9'.repeat(40)}`,
      'lookalike=8%00x',
      'lookalike=mug-1%27',
    ],
  ])('answers 404 for %s', (query) => {
    const { status, location } = visit(query)
    expect([status, location]).toEqual([404, null])
  })

  test.each(['lookalike[]=7', 'other=7'])('leaves %s alone', (query) => {
    const { status, location } = visit(query)
    expect([status, location]).toEqual([200, null])
  })
})
