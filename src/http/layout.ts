/** Our mark: two overlapping rings on green. @param size HTML attributes of its width and height. */
const drawMark = (size: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"${size}><rect width="32" height="32" rx="7" fill="#0b6e5f"/><circle cx="13" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3"/><circle cx="19" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3" stroke-opacity=".65"/></svg>`

/** The mark as a file, for browsers that ask for `/favicon.ico`. */
export const MARK = drawMark('')

/** The mark as an address, for the icon of a page. */
export const MARK_ADDRESS = `data:image/svg+xml,${encodeURIComponent(MARK)}`

const LINKS = [
  ['/docs', 'API'],
  ['/docs/guide', 'Guide'],
  ['/errors', 'Errors'],
] as const

/** The links at the top of every page for browsers. */
export type LayoutLink = (typeof LINKS)[number][0]

/** The head of every page: the mark and the name, which lead to the start page, and the links. @param current the link of this page. */
export const layoutHeader = (
  current?: LayoutLink,
): string => `<a class="skip" href="#content">Skip to the content</a>
    <header class="frame">
      <a class="brand" href="/">${drawMark(' width="28" height="28" aria-hidden="true"')}Lookalike</a>
      <nav aria-label="Lookalike">${LINKS.map(([path, name]) => `<a href="${path}"${path === current ? ' aria-current="true"' : ''}>${name}</a>`).join('')}</nav>
    </header>`

/** The foot of every page. */
export const LAYOUT_FOOTER = `<footer class="frame">
      <span>Self-hosted visual product search</span>
      <nav aria-label="About"><a href="/docs/guide/changelog">Changelog</a><a href="/licences">Licences</a></nav>
    </footer>`
