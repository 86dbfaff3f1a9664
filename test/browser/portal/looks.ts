import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

export const PASSWORD = 'kettle drum violin'

const axe = await Bun.file(Bun.fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))).text()

/** Lists the findings of axe-core, as `rule: element`. It runs in a world of its own, which the page's policy does not bind. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate<string[]>(`axe.run(document)
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`)
}

export const scrollWidth = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth')

/** What the browser keeps of the portal in any storage that a script reads. */
export const readStorage = (page: Page): Promise<unknown> =>
  page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')

/** Chromium tells of refusals itself: a page that asks whether somebody is signed in gets one. */
export const own = (complaints: readonly string[]): string[] =>
  complaints.filter((text) => !/status of 4\d\d|^\[DOM\]/.test(text))

/** Makes a file that is too large; its bytes stand nowhere. What lies in memory instead travels to the browser, which takes seconds. */
export function makeLargeFile(name: string, mebibytes: number): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'lookalike-large-'))
  const path = join(folder, name)
  writeFileSync(path, '')
  truncateSync(path, mebibytes * 1024 * 1024)
  return { path, remove: () => rmSync(folder, { recursive: true }) }
}
