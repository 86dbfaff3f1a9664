import { describe, expect, test } from 'bun:test'
import { readDocument, renderDocument } from '../../scripts/generate/guide.ts'

const OTHER = readDocument('other', '# Other\n\n## Two words, `code` & more\n')

/** The page of a document with this text, beside {@link OTHER}. */
function rendered(text: string): string {
  const document = readDocument('one', `# One\n\n${text}`)
  return renderDocument(document, [document, OTHER])
}

describe('a page of the guide', () => {
  test('gives headings the anchors that GitHub gives them, and a link to each', () => {
    const html = rendered('## 4.2 The credential\n\n### Is `it` "that"?\n')
    expect(html).toContain(
      '<h2 id="42-the-credential">4.2 The credential <a class="anchor" href="#42-the-credential"',
    )
    expect(html).toContain('<h3 id="is-it-that">')
    expect(html).toContain('aria-label="Link to “Is it &quot;that&quot;?”"')
  })

  test('lists its headings, nested', () => {
    const html = rendered('## A\n\n### B\n\n### C\n\n## D\n')
    expect(html).toContain(
      '<ul><li><a href="#a">A</a><ul><li><a href="#b">B</a></li><li><a href="#c">C</a></li></ul></li><li><a href="#d">D</a></li></ul>',
    )
  })

  test('turns links between documents into those of the service', () => {
    const html = rendered('[a](other.md) [b](other.md#two-words-code--more) [c](https://example.com/)')
    expect(html).toContain('<a href="/docs/guide/other">a</a>')
    expect(html).toContain('<a href="/docs/guide/other#two-words-code--more">b</a>')
    expect(html).toContain('<a href="https://example.com/">c</a>')
  })

  test('refuses a picture that is not there', () => {
    expect(() => rendered('![A mug](pictures/gone.webp)')).toThrow('pictures/gone.webp')
  })

  test('lets what is wide scroll, also by the keyboard', () => {
    const html = rendered('```sh\nls\n```\n\n| a |\n| --- |\n| b |\n')
    expect(html).toContain('<pre tabindex="0"><code class="language-sh">ls')
    expect(html).toContain('<div class="table" tabindex="0"><table>')
  })

  test.each([
    '[x](missing.md)',
    '[x](other.md#missing)',
    '[x](#missing)',
    '[x](../README.md)',
    '[x](/docs)',
    '[x](http://example.com)',
    '[x](javascript:alert(1))',
  ])('refuses the link %s', (text) => {
    expect(() => rendered(text)).toThrow('one.md links to')
  })

  test('refuses HTML except comments, a second heading of one anchor, and a text without a title', () => {
    expect(() => rendered('<b>x</b>')).toThrow('one.md contains HTML')
    expect(rendered('<!-- a mark -->\n')).not.toContain('a mark')
    expect(() => rendered('## A\n\n## A\n')).toThrow('two headings #a')
    expect(() => readDocument('one', 'no title')).toThrow('must begin with its title')
  })
})
