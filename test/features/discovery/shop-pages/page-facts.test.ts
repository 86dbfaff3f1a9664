import { expect, test } from 'bun:test'
import { readPageFacts } from '../../../../src/features/discovery/shop-pages/page-facts.ts'

const PAGE = new URL('https://shop.example/')
const read = (html: string) => readPageFacts(html, PAGE, async () => {})

test('decodes the entities of what it reads', async () => {
  const { snippets, policies } = await read(
    `<meta http-equiv="Content-Security-Policy" content="img-src &#39;self&#39;">
     <script src="https://search.example/widget.js?a=1&amp;b=2" data-key="pk&#95;live" nonce=" n "></script>`,
  )
  expect(policies).toEqual(["img-src 'self'"])
  expect(snippets).toEqual([
    { src: new URL('https://search.example/widget.js?a=1&b=2'), key: 'pk_live', nonce: 'n' },
  ])
})

test('reads long values to a bound, so that a page of entities costs no more than any other', async () => {
  const { snippets, policies } = await read(
    `<meta http-equiv="Content-Security-Policy" content="img-src &#39;none&#39;;${'&amp;'.repeat(100_000)}">
     <script src="/widget.js?${'&amp;'.repeat(100_000)}" data-key="k${'&amp;'.repeat(100_000)}"></script>
     <script src="/${'a/'.repeat(2_000)}widget.js"></script>`,
  )
  expect(policies.map(({ length }) => length < 8_192)).toEqual([true])
  expect(snippets).toHaveLength(1)
  expect(snippets[0]?.src.href.length).toBeLessThan(2_100)
  expect(snippets[0]?.key.length).toBeLessThan(2_048)
})
