import { describe, expect, test } from 'bun:test'
import { readTags } from '../../src/core/html-tags.ts'

const NAMES = new Set(['script', 'meta'])

const tagsOf = (html: string) =>
  [...readTags(html, NAMES)].flatMap((tag) =>
    tag ? [[tag.name, Object.fromEntries(tag.attributes)] as const] : [],
  )
const countTags = (html: string) => tagsOf(html).length

describe('readTags', () => {
  test.each<[string, object]>([
    ['<script src=a.js data-key=pk_1 async></script>', { src: 'a.js', 'data-key': 'pk_1', async: '' }],
    ['<SCRIPT SRC="a>b.js" Data-Key=\'pk "1"\'>', { src: 'a>b.js', 'data-key': 'pk "1"' }],
    ['<script\n\tsrc = "a" / defer/>', { src: 'a', defer: '' }],
    ['<script a=1 a=2 A=3>', { a: '1' }],
    ['<script a= b>', { a: 'b' }],
    ['<script a=>', { a: '' }],
    ['<script =a=b>', { '=a': 'b' }],
    ['<script src="a"data-key="b">', { src: 'a', 'data-key': 'b' }],
    ['<script src=a/b/>', { src: 'a/b/' }],
    ['<script>', {}],
  ])('reads %p', (html, attributes) => {
    expect(tagsOf(html)).toEqual([['script', attributes as Record<string, string>]])
  })

  test.each([
    '<!-- <script a> -->',
    '<!--><!-- --> <!-- <script a>',
    '<style><script a></style>',
    '<textarea><script a></textarea>',
    '<title><script a></title>',
    '<noscript><script a></noscript>',
    '<iframe><script a></iframe>',
    '<a title="<script a>">',
    "<a title='x><script a>",
    '<scripts a>',
    '</script a>',
    '< script a>',
    '<script a',
    '<script a="b>',
    '<plaintext><script a>',
    '<!doctype <script a>',
    '<?php <script a>',
    '<template-x><s cript>',
    '',
    '<',
  ])('finds no tag in %p', (html) => {
    expect(countTags(html)).toBe(0)
  })

  test.each([
    ['<script>var a = "<script b>"</script><script>', 2],
    ['<script></SCRIPT ><meta>', 2],
    ['<script></scripty></script/><meta>', 2],
    ['<!--><script>', 1],
    ['<!-- a -- b --><script>', 1],
    ['5 < 6 <script>', 1],
    ['<style></style><script>', 1],
    ['<b><i><script>', 1],
    ['</p <b><script>', 1],
  ])('%p has %d', (html, count) => {
    expect(countTags(html)).toBe(count)
  })

  test('keeps no more than 64 attributes', () => {
    const html = `<script ${Array.from({ length: 100 }, (_, n) => `a${n}=1`).join(' ')}>`
    expect(Object.keys(tagsOf(html)[0]?.[1] ?? {})).toHaveLength(64)
  })

  const MIB = 1024 * 1024
  test.each([
    ['<b>'.repeat(MIB / 4)],
    ['<'.repeat(MIB)],
    [`<a ${'b=c '.repeat(MIB / 4)}`],
    ['<!-->'.repeat(MIB / 5)],
  ])('gives way again and again in a long text (%#)', (html) => {
    const pauses = [...readTags(html, NAMES)].filter((tag) => tag === undefined)
    expect(pauses.length).toBeGreaterThan(html.length / 70_000)
  })
})
