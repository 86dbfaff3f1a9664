import { escapeHtml, page } from '../../../http/page.ts'

/** Stands between the overview and the full texts of `scripts/generate/notices.ts`. */
const RULE = '='.repeat(80)

/** Renders the overview of the licences as a page, which leads to the whole text. */
export function renderLicencesPage(notices: string): string {
  const [overview = ''] = notices.split(`${RULE}\n`, 1)
  const [, ...blocks] = overview.trim().split(/\n{2,}/)
  return page(
    'Licences · Lookalike',
    `<h1>Licences and notices</h1>
    <p><a href="/licences.txt">The whole text</a>, with every copyright notice and licence (${Math.round(notices.length / 1000)} kB)</p>
    ${blocks.map((block, n) => renderBlock(block, blocks[n + 1])).join('\n    ')}`,
  )
}

/** A line before a list is its heading; lines with two spaces before them are a list, and so are those with a star. */
function renderBlock(block: string, next = ''): string {
  if (block.startsWith('* '))
    return `<ul>${block
      .slice(2)
      .split(/\n\* /)
      .map((item) => `<li>${escapeHtml(item)}</li>`)
      .join('')}</ul>`
  if (block.startsWith('  '))
    return `<ul class="plain">${block
      .split('\n')
      .map((line) => `<li>${escapeHtml(line.trim())}</li>`)
      .join('')}</ul>`
  const isHeading = !block.includes('\n') && (next.startsWith('  ') || !/[.:]$/.test(block))
  return isHeading ? `<h2>${escapeHtml(block)}</h2>` : `<p>${escapeHtml(block)}</p>`
}
