import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { formatApi } from '../../scripts/generate/api-types.ts'
import { BUDGETS, checkBudgets } from '../../scripts/generate/portal.ts'

const built = join(import.meta.dir, '../../dist/generated/portal')

const sources = join(import.meta.dir, '../../src/browser/portal')

describe('the budgets of the portal', () => {
  test('fail the build one byte above', () => {
    const { shellBytesMax, pageBytesMax } = BUDGETS
    const most = { shell: shellBytesMax, pages: { 'products-page.js': pageBytesMax } }
    expect(() => checkBudgets(most)).not.toThrow()
    expect(() => checkBudgets({ ...most, shell: shellBytesMax + 1 })).toThrow('is the budget')
    expect(() => checkBudgets({ ...most, pages: { 'products-page.js': pageBytesMax + 1 } })).toThrow(
      'products-page.js has',
    )
  })
})

test('no file of the portal does what its policy forbids, and only settings of the view are kept in the browser', async () => {
  const names = [...new Bun.Glob('*.js.gz').scanSync(built)]
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) {
    const text = new TextDecoder().decode(Bun.gunzipSync(await Bun.file(join(built, name)).bytes()))
    expect([name, text.match(/\beval\(|new Function|document\.write|insertAdjacentHTML/)]).toEqual([
      name,
      null,
    ])
    expect([name, text.match(/sessionStorage|indexedDB|document\.cookie/)]).toEqual([name, null])
  }
})

test('one file keeps something in the browser', async () => {
  const keeping: string[] = []
  for (const path of new Bun.Glob('**/*.{ts,tsx}').scanSync(sources))
    if ((await Bun.file(join(sources, path)).text()).includes('localStorage')) keeping.push(path)
  expect(keeping).toEqual(['look-settings.ts'])
})

test('our own code sets no HTML', async () => {
  for (const path of new Bun.Glob('**/*.{ts,tsx}').scanSync(sources))
    expect([
      path,
      (await Bun.file(join(sources, path)).text()).match(/innerHTML|dangerouslySet|trustedTypes/i),
    ]).toEqual([path, null])
})

test('each page has texts in every language of the portal', async () => {
  const sources = join(import.meta.dir, '../../src/browser/portal')
  const folders = [...new Bun.Glob('**/texts/texts.ts').scanSync(sources)]
  expect(folders.length).toBeGreaterThan(4)
  for (const path of folders)
    for (const language of ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
      expect([path, await Bun.file(join(sources, path, '..', `${language}.ts`)).exists()]).toEqual([
        path,
        true,
      ])
})

describe('the types of the API', () => {
  test('come from schemas: what is optional, open, nullable or one of several', () => {
    const text = formatApi({
      paths: {
        '/v1/things/{id}': {
          get: {
            parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
            responses: {
              200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
            },
          },
        },
      },
      components: {
        schemas: {
          Thing: {
            type: 'object',
            required: ['name', 'kind'],
            properties: {
              name: { type: ['string', 'null'] },
              kind: { enum: ['a', 'b'] },
              parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
            },
            additionalProperties: {},
          },
        },
      },
    })
    expect(text).toContain(
      'export type Thing = ({ "name": (string | null); "kind": ("a" | "b"); "parts"?: Thing[] } & Record<string, unknown>)',
    )
    expect(text).toContain(
      '"GET /v1/things/{id}": { query: { "limit"?: number }; body: undefined; answer: Thing }',
    )
  })
})
