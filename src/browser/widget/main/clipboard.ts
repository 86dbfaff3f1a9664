import type { OpenRequest } from '../shapes.ts'

/** Asks the browser for the picture in the clipboard, or for the address of one; returns neither if it can read none. */
export async function readClipboard(): Promise<Pick<OpenRequest, 'file' | 'url'>> {
  try {
    for (const item of await navigator.clipboard.read()) {
      const type = item.types.find((one) => one.startsWith('image/'))
      if (type) return { file: await item.getType(type) }
    }
    const url = (await navigator.clipboard.readText()).trim()
    if (/^https?:\/\/\S+$/i.test(url)) return { url }
  } catch {
    // The shopper has refused, or the clipboard holds nothing that a page may read.
  }
  return {}
}
