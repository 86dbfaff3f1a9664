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
