import { expect, test } from 'bun:test'
import { join } from 'node:path'

const PORTAL = join(import.meta.dir, '../src/browser/portal')

const sheets = await Promise.all(
  [...new Bun.Glob('**/*.css').scanSync(PORTAL)].map(
    async (path) => [path, await Bun.file(join(PORTAL, path)).text()] as const,
  ),
)

/** The selectors of a stylesheet, each without the rules around it, such as `@media`. */
const listSelectors = (css: string): string[] =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split(/[{}]/)
    // Declarations end with a semicolon, selectors before a brace.
    .flatMap((text) => (/[;@]|^\s*$/.test(text) ? [] : text.split(/,(?![^(]*\))/)))
    .map((selector) => selector.trim())

const readClasses = (selector: string): string[] => selector.match(/(?<=\.)[a-z][\w-]*/g) ?? []
/** The class by which the outermost element is found: what follows only narrows it. */
const readOutermost = (selector: string): string[] =>
  readClasses(/^\S*/.exec(selector)?.[0] ?? '').slice(0, 1)

test('no stylesheet styles what belongs to a page, but its own', () => {
  const foreign = sheets
    .filter(([path]) => path.startsWith('pages/'))
    .flatMap(([page, css]) =>
      [...new Set(listSelectors(css).flatMap(readOutermost))].flatMap((name) =>
        sheets
          .filter(([other]) => other !== page)
          .filter(([, css]) => listSelectors(css).some((selector) => readClasses(selector).includes(name)))
          .map(([other]) => `.${name} of ${page} in ${other}`),
      ),
    )
  expect(foreign).toEqual([])
})
