/** Bodies of one family, which differ only in size. */
export interface BodyFamily {
  name: string
  type: string
  /** Makes a body of about this many bytes. */
  make(bytes: number): Buffer<ArrayBuffer>
}

export const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data; boundary=B'

const PART_END = '\r\n'
const CLOSE = '--B--\r\n'

/** One field of a multipart body. */
export const part = (name: string, content: string | Buffer, more = ''): Buffer<ArrayBuffer> =>
  Buffer.concat([
    Buffer.from(`--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from(PART_END),
  ])

export const multipart = (...parts: Buffer[]): Buffer<ArrayBuffer> =>
  Buffer.concat([...parts, Buffer.from(CLOSE)])

/** `start`, then `unit` as often as it fits, then `end`. */
const filled = (start: string, unit: string, end: string, bytes: number): Buffer<ArrayBuffer> =>
  Buffer.from(
    start + unit.repeat(Math.max(1, Math.floor((bytes - start.length) / Buffer.byteLength(unit)))) + end,
  )

/** The same with numbered units. */
function numbered(
  start: string,
  unit: (n: number) => string,
  end: string,
  bytes: number,
): Buffer<ArrayBuffer> {
  const units: string[] = []
  let length = start.length + end.length
  for (let n = 0; length < bytes; n++) {
    const next = unit(n)
    units.push(next)
    length += next.length
  }
  return Buffer.from(start + units.join('') + end)
}

const json = (name: string, make: BodyFamily['make']): BodyFamily => ({
  name: `JSON: ${name}`,
  type: JSON_TYPE,
  make,
})

/** JSON in every shape that is slow to scan, to parse, to walk or to refuse. */
export const JSON_FAMILIES: readonly BodyFamily[] = [
  json('a list of numbers', (n) => filled('[', '0,', '0]', n)),
  json('a vector', (n) => filled('{"vector":[', '0.25,', '0]}', n)),
  json('a vector beside __proto__', (n) => filled('{"__proto__":{"a":1},"vector":[', '0,', '0]}', n)),
  json('lists of lists', (n) => filled('{"metadata":{"a":[', '[[[[[[]]]]]],', '0]}}', n)),
  json('one deep list', (n) => filled('', '[', '', n)),
  json('different keys', (n) => numbered('{"metadata":{', (at) => `"k${at}":1,`, '"z":1}}', n)),
  json('objects of different keys', (n) => numbered('{"tags":[', (at) => `{"k${at}":1},`, '0]}', n)),
  json('objects of one key', (n) => filled('{"tags":[', '{"a":1},', '0]}', n)),
  json('keys like indices', (n) =>
    numbered('{"metadata":{', (at) => `"${(at * 7919) % 1000003}":1,`, '"z":1}}', n),
  ),
  json('the same key', (n) => filled('{', '"a":1,', '"a":1}', n)),
  json('many __proto__', (n) => filled('{"metadata":[', '{"__proto__":{"a":1}},', '0]}', n)),
  json('short texts', (n) => filled('{"fields":[', '"a",', '"a"]}', n)),
  json('one long text', (n) => filled('{"note":"', 'abcdefgh', '"}', n)),
  json('a text of escapes', (n) => filled('{"note":"', '\\u0041', '"}', n)),
  json('a text of escaped quotes', (n) => filled('{"note":"', '\\"', '"}', n)),
  json('a text of backslashes', (n) => filled('{"note":"', '\\\\', '"}', n)),
  json('a text of escaped slashes', (n) => filled('{"note":"', `${'abcdefgh'.repeat(8)}\\/`, '"}', n)),
  json('letters beyond ASCII', (n) => filled('{"note":"', 'aü漢😀', '"}', n)),
  json('lone surrogates', (n) => filled('{"note":"', '\\ud800', '"}', n)),
  json('broken UTF-8 at the end', (n) => Buffer.concat([filled('{"note":"', 'aü', '', n), Buffer.of(0xff)])),
  json('one long number', (n) => filled('{"limit":', '9', '}', n)),
  json('numbers out of range', (n) => filled('{"metadata":[', '1e400,', '0]}', n)),
  json('white space', (n) => filled('', ' ', '{}', n)),
  json('line ends and a fault', (n) => filled('', '\n', '{]', n)),
  json('a text that is not closed', (n) => filled('{"note":"', 'abcdefgh', '', n)),
  json('a text with a fault at its end', (n) => filled('{"note":"', 'abcdefgh', '\\x"}', n)),
  json('a text with escapes and a fault', (n) =>
    filled('{"note":"', `${'abcdefgh'.repeat(8)}\\/`, '\\x"}', n),
  ),
  json('quotes without an end', (n) => filled('', '"', '', n)),
  json('a list without an end', (n) => filled('{"tags":[', '1,', '', n)),
  json('a picture in base64', (n) => filled('{"image":"', '/9j/4AAQ', '"}', n)),
  json('a picture in base64, damaged', (n) => filled('{"image":"', '/9j/4AAQ', '!"}', n)),
  json('a data: URI in base64', (n) => filled('{"image_url":"data:image/jpeg;base64,', '/9j/4AAQ', '"}', n)),
  json('a data: URI in percents', (n) => filled('{"image_url":"data:image/jpeg,', '%ff%D8a', '"}', n)),
  json('a data: URI in base64 and percents', (n) =>
    filled('{"image_url":"data:;base64,', '%2F9j/4AAQ', '"}', n),
  ),
  json('a data: URI of a long type', (n) => filled('{"image_url":"data:', '; ', ',x"}', n)),
]

const form = (name: string, make: BodyFamily['make']): BodyFamily => ({
  name: `multipart: ${name}`,
  type: MULTIPART_TYPE,
  make,
})

const inField =
  (field: string, text: (bytes: number) => Buffer<ArrayBuffer>): BodyFamily['make'] =>
  (bytes) =>
    multipart(part('product_id', 'p'), part(field, text(bytes)))

/** Multipart bodies with many fields, odd fields, and long ones. */
export const MULTIPART_FAMILIES: readonly BodyFamily[] = [
  form('different fields', (n) => numbered('', (at) => String(part(`k${at}`, '1')), CLOSE, n)),
  form('one field again and again', (n) => filled('', String(part('k', '1')), CLOSE, n)),
  form('fields named __proto__', (n) => filled('', String(part('__proto__', '1')), CLOSE, n)),
  form('a picture', (n) => multipart(part('image', Buffer.alloc(n, 7), '; filename="a.jpg"'))),
  form(
    'beginnings of the boundary',
    inField('note', (n) => filled('', '\r\n--', '', n)),
  ),
  form('a long head', (n) => filled('--B\r\n', 'X: y\r\n', `\r\n\r\n${CLOSE}`, n)),
  form(
    'a list of words',
    inField('fields', (n) => filled('', 'a,', 'a', n)),
  ),
  form(
    'a long number',
    inField('limit', (n) => filled('', '9', '', n)),
  ),
  form(
    'a long truth',
    inField('explain', (n) => filled('', ' ', 'true', n)),
  ),
  form(
    'broken UTF-8',
    inField('note', (n) => Buffer.alloc(n, 0xff)),
  ),
  ...JSON_FAMILIES.map(({ name, make }) => form(`metadata, ${name}`, inField('metadata', make))),
]

/** URL-encoded forms of routes with small bodies. */
export const URLENCODED_FAMILIES: readonly BodyFamily[] = [
  {
    name: 'form: different fields',
    type: FORM_TYPE,
    make: (n) => numbered('a=1', (at) => `&k${at}=1`, '', n),
  },
  { name: 'form: escapes', type: FORM_TYPE, make: (n) => filled('token=', '%41', '', n) },
  { name: 'form: one long value', type: FORM_TYPE, make: (n) => filled('token=', 'a', '', n) },
  { name: 'form: __proto__', type: FORM_TYPE, make: (n) => filled('a=1', '&__proto__=1', '', n) },
]
