import { expect, test } from 'bun:test'
import { readIndexedText } from '../../src/core/html-text.ts'

test.each([
  ['<p>Soft&nbsp;cotton,<br/>made in <b>Porto</b>.</p>', 'Soft cotton, made in Porto .'],
  ['5 < 6 &amp; 7 &gt; 6', '5 < 6 & 7 > 6'],
  ['a<style>p { x: y }</style>b<script>alert("<p>")</script>c', 'a b c'],
  ['caf&eacute; &#252;ber &#x41; &unknown; &#0;x', 'café über A &unknown; x'],
  ['one <!-- two --> three <unclosed four', 'one three'],
  ['  \n\t ', ''],
])('%j', (html, text) => {
  expect(readIndexedText(html, 500)).toBe(text)
})

test('ends after so many characters', () => {
  expect(readIndexedText('word '.repeat(1_000), 500)).toHaveLength(500)
})
