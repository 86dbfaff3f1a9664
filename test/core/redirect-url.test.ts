import { expect, test } from 'bun:test'
import { findRedirectFault } from '../../src/core/redirect-url.ts'

test.each([
  'https://shop.example/returns?from=search#top',
  'http://shop.example',
  'HTTPS://shop.example/',
  'https://müller.example/größen',
  '/',
  '/pages/returns?a=b@c',
  '/a//b',
])('%s is allowed', (url) => expect(findRedirectFault(url)).toBeUndefined())

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'ftp://shop.example/',
  'file:///etc/passwd',
  'mailto:a@shop.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  'https:evil.example',
  'https:///evil.example',
  'https://',
  'http://[::1',
  'https://user:secret@shop.example/',
  'https://user@shop.example/',
  'https://shop.example/a b',
  'https://shop.example/\u0000',
  'https://shop.example/\u202e'.replace('\u202e', '\u0085'),
  'pages/returns',
  '?q=1',
  '#top',
  '',
])('%j is refused', (url) => expect(findRedirectFault(url)).toBeString())
