import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const contract = await Bun.file(join(root, 'src/guide/contract.md')).text()

/** Numbers of the contract's sections: `4`, `4.2`. */
const sections = [...contract.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number)

/** Texts that may cite the contract, by path; this file spells out what none may hold. */
const sources = await Promise.all(
  [...new Bun.Glob('{src,test,scripts}/**/*.{ts,js,css,html,sql,md,sh}').scanSync(root), 'README.md']
    .filter((path) => path !== 'test/guide.test.ts')
    .map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
)

/** Every match of a pattern, with the file that holds it. */
const found = (pattern: RegExp) =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([all, group = '']) => ({ path, all, group })),
  )

/** Sections that are named by a list such as `4.2, 5.1` and do not exist. */
const missing = (matches: { path: string; group: string }[]) =>
  matches.flatMap(({ path, group }) =>
    group
      .split(', ')
      .filter((number) => !sections.includes(number))
      .map((number) => `${path}: ${number}`),
  )

describe('the contract of the guide', () => {
  test('numbers its sections without a gap', () => {
    const expected = sections.map((number, n) => {
      const [chapter = 0, part] = (sections[n - 1] ?? '0').split('.').map(Number)
      return number.includes('.') ? `${chapter}.${(part ?? 0) + 1}` : String(chapter + 1)
    })
    expect(sections).toEqual(expected)
    expect(sections.length).toBeGreaterThan(40)
  })

  test('has every section that the sources and the tests cite', () => {
    const citations = found(/\b[Cc]ontract (\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)/g)
    expect(citations.length).toBeGreaterThan(100)
    expect(missing(citations)).toEqual([])
  })

  test('has the section of every route', () => {
    const routes = found(/^ +(?:GET|POST|PUT|PATCH|DELETE) +\/\S* +(\S+)$/gm)
    const listed = routes.filter(({ path }) => path === 'test/contract.test.ts')
    expect(listed.length).toBeGreaterThan(50)
    expect(missing(listed)).toEqual([])
  })

  test('refers to sections of its own that exist', () => {
    const references = found(/\b[Ss]ection (\d+(?:\.\d+)?)/g).filter(({ path }) =>
      path.startsWith('src/guide/'),
    )
    expect(references.length).toBeGreaterThan(5)
    expect(missing(references)).toEqual([])
  })
})

test('nothing cites a document that is not in the repository', () => {
  expect(
    found(/\bspec(?:ification)? §\S*|(?<![-#])\bD(?:1?\d|2[01])(?:\.\d+)?\b/gi).map(
      ({ path, all }) => `${path}: ${all}`,
    ),
  ).toEqual([])
})
