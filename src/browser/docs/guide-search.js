// Finds words in the guide, in the browser alone. The sections are read from the pages when somebody first looks for something; a folder of
// pages brings them along in `globalThis.guideSections`, because a browser reads no other file from a disk.

const FOUND_MAX = 12
/** Characters around the first word found. */
const AROUND = { before: 40, after: 120 }
/** A word in a title says more than one in the text. */
const WEIGHTS = { title: 8, page: 3, text: 1, textMax: 4 }

/**
 * Looks for sections that have every word.
 *
 * @param {{ page: string, title: string, text: string, href: string }[]} sections
 * @param {string} query
 * @returns the best first.
 */
export function findSections(sections, query) {
  const words = fold(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: weigh(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, FOUND_MAX)
    .map(({ section }) => section)
}

function weigh({ page, title, text }, words) {
  const [inTitle, inPage, inText] = [title, page, text].map(fold)
  let score = 0
  for (const word of words) {
    const times = Math.min(inText.split(word).length - 1, WEIGHTS.textMax)
    const own =
      (inTitle.includes(word) ? WEIGHTS.title : 0) +
      (inPage.includes(word) ? WEIGHTS.page : 0) +
      times * WEIGHTS.text
    if (own === 0) return 0
    score += own
  }
  return score
}

/** Each character keeps its place, so that an excerpt can be cut out of the text itself. */
const fold = (text) => text.toLowerCase()

/** Cuts the words around the first one found out of a text. */
export function excerpt(text, query) {
  const folded = fold(text)
  const places = fold(query)
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => folded.indexOf(word))
    .filter((at) => at >= 0)
  const at = places.length > 0 ? Math.min(...places) : 0
  const start = Math.max(0, at - AROUND.before)
  const cut = text.slice(start, at + AROUND.after).trim()
  return `${start > 0 ? '… ' : ''}${cut}${at + AROUND.after < text.length ? ' …' : ''}`
}

/** Reads the sections of a page: what stands under its title and under each heading. */
function readSections(article, address) {
  const sections = []
  let page = ''
  for (const element of article.children) {
    const isHeading = /^H[1-4]$/.test(element.tagName)
    if (isHeading) {
      const title = element.textContent.replace(/\s*#$/, '')
      if (page === '') page = title
      sections.push({ page, title, text: '', href: element.id ? `${address}#${element.id}` : address })
    } else if (sections.length > 0) {
      sections[sections.length - 1].text += ` ${element.textContent.replace(/\s+/g, ' ').trim()}`
    }
  }
  return sections
}

async function loadSections(links) {
  if (globalThis.guideSections) return globalThis.guideSections
  const pages = await Promise.all(
    links.map(async (link) => {
      const address = link.getAttribute('href')
      const text = await fetch(address).then((answer) => (answer.ok ? answer.text() : ''))
      const article = new DOMParser().parseFromString(text, 'text/html').querySelector('article')
      return article ? readSections(article, address) : []
    }),
  )
  return pages.flat()
}

function showFound(list, status, sections, query) {
  const found = findSections(sections, query)
  list.replaceChildren(
    ...found.map((section) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = section.href
      link.textContent = section.title === section.page ? section.page : `${section.page}: ${section.title}`
      const around = document.createElement('span')
      around.textContent = excerpt(section.text.trim(), query)
      item.append(link, around)
      return item
    }),
  )
  const isAsked = query.trim() !== ''
  status.textContent = isAsked && found.length === 0 ? 'Nothing in the guide has all these words.' : ''
}

/** Puts a field into the list of documents. Without scripts the list is all there. */
export function addGuideSearch() {
  const navigation = document.querySelector('nav.documents')
  if (!navigation) return
  const links = [...navigation.querySelectorAll('a')]
  const search = document.createElement('search')
  search.className = 'find'
  const label = document.createElement('label')
  label.textContent = 'Search the guide'
  const field = document.createElement('input')
  field.type = 'search'
  field.autocomplete = 'off'
  const list = document.createElement('ol')
  list.setAttribute('aria-label', 'Found in the guide')
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  label.append(field)
  search.append(label, status, list)
  navigation.prepend(search)

  let sections
  field.addEventListener('input', async () => {
    try {
      sections ??= loadSections(links)
      const loaded = await sections
      showFound(list, status, loaded, field.value)
    } catch {
      // The next letter tries again.
      sections = undefined
      status.textContent = 'The pages could not be read. Is the service away?'
    }
  })
}
