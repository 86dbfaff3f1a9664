import { el } from '../dom.ts'
import type { MainFile, Panel } from '../shapes.ts'

/** Name and `integrity` of the main file; the build puts them in. */
declare const MAIN_FILE: string
declare const MAIN_INTEGRITY: string

/**
 * Fetches the main file with the first call, and again after a failure.
 *
 * @param start starts what was fetched, once.
 */
export function createMainFile(base: string, start: (main: MainFile) => Panel): () => Promise<Panel> {
  let loading: Promise<Panel> | undefined
  let tries = 0

  /** The link makes the browser check the file; where links cannot, it is loaded unchecked. */
  async function load(): Promise<Panel> {
    const address = `${base}widget/${MAIN_FILE}${tries ? `?${tries}` : ''}`
    const link = el('link', { rel: 'modulepreload', href: address, integrity: MAIN_INTEGRITY })
    document.head.append(link)
    const main = (await import(address)) as MainFile
    link.remove()
    return start(main)
  }

  return () => {
    loading ??= load()
    loading.catch(() => {
      // A browser may keep a failure under its address, so the next try asks with another one.
      tries += 1
      loading = undefined
    })
    return loading
  }
}
