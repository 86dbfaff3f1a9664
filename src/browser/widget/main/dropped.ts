import type { Dropped, OpenRequest } from '../shapes.ts'

/** Finds what to search with in a drop: the picture itself, or else its address. */
export function readDropped({ files, html, addresses }: Dropped): OpenRequest {
  const picture = files.find(({ type }) => type.startsWith('image/'))
  if (picture) return { file: picture }
  // A picture that is a link carries the link's address, and its own only in the markup.
  const inMarkup = /<img[^>]+?src="(https?:[^"]+)"/i.exec(html)?.[1]
  const url = inMarkup?.replaceAll('&amp;', '&') ?? addresses.split('\n')[0]?.trim()
  if (url && /^https?:/i.test(url)) return { url }
  // A file of another kind: what reads it says what is wrong with it.
  return files[0] ? { file: files[0] } : {}
}
