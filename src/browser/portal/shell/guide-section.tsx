import { type ComponentChild, Fragment, h } from 'preact'

/** What is taken from a page of the guide; everything else is read as its text. */
const TAGS: ReadonlySet<string> = new Set(
  'h1 h2 h3 h4 p ul ol li code pre strong em table thead tbody tr th td dl dt dd a'.split(' '),
)

/**
 * Reads a page of the guide. A request can give a document without a text that becomes code, which the policy of the page
 * forbids; scripts in it never run.
 */
export function readGuide(address: string, signal: AbortSignal): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('GET', address)
    request.responseType = 'document'
    request.onload = () =>
      request.status === 200 && request.responseXML
        ? resolve(request.responseXML)
        : reject(new Error(`${address}: ${request.status}`))
    request.onerror = () => reject(new Error(address))
    signal.addEventListener('abort', () => request.abort())
    request.send()
  })
}

const HEADING = /^H[1-6]$/

/** The heading with an id and all that follows until the next one that is as high. The whole page without an id, or an unknown one. */
export function findSection(guide: Document, id: string): Element[] {
  const start = guide.getElementById(id)
  if (!start || !HEADING.test(start.tagName)) return [...(guide.querySelector('main')?.children ?? [])]
  const section: Element[] = [start]
  for (let next = start.nextElementSibling; next; next = next.nextElementSibling) {
    if (HEADING.test(next.tagName) && next.tagName <= start.tagName) break
    section.push(next)
  }
  return section
}

/** Draws elements of the guide anew, without a single attribute but the address of a link. */
export function drawGuide(nodes: Iterable<Node>, base: string): ComponentChild[] {
  return [...nodes].map((node) => {
    if (!(node instanceof Element)) return node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '') : ''
    const children = drawGuide(node.childNodes, base)
    const tag = node.tagName.toLowerCase()
    if (['script', 'style', 'button', 'nav', 'svg'].includes(tag)) return ''
    if (!TAGS.has(tag)) return h(Fragment, null, children)
    // The sign beside a heading links to the heading itself.
    if (tag === 'a' && node.textContent?.trim() === '#') return ''
    if (tag !== 'a') return h(tag, null, children)
    const href = new URL(node.getAttribute('href') ?? '', new URL(base, location.origin))
    if (!/^https?:$/.test(href.protocol)) return h(Fragment, null, children)
    return h('a', { href: href.href, target: '_blank', rel: 'noopener noreferrer' }, children)
  })
}
