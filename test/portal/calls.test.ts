import { describe, expect, test } from 'bun:test'
import { commandOf } from '../../src/browser/portal/pages/admin/command.ts'
import { type DescribedCall, WRITERS } from '../../src/browser/portal/pages/playground/write-call.ts'

/** What a text may hold that means something to a shell, to PHP or to a script. */
const HOSTILE = [
  `it's`,
  '"; rm -rf ~ #',
  '$(id) `id` $HOME !!',
  'back\\slash\\',
  'two\nlines\r\n',
  '</script>',
  '@/etc/passwd',
  '</etc/passwd',
  'a;type=text/html',
  '\u202egpj.exe',
]

const ADDRESS = "https://search.test/v1/search?q=it's"
const asForm = (value: string): DescribedCall => ({
  ...{ method: 'POST', address: ADDRESS, body: null },
  form: [['category', value]],
})
const asJson = (value: string): DescribedCall => ({
  ...{ method: 'POST', address: ADDRESS, form: null },
  body: { query: value },
})
const write = (language: string, call: DescribedCall): string => WRITERS[language]?.(call) ?? ''

/** Runs a line of a shell in which a program only tells what it is given. */
function readWords(program: string, line: string): string[] {
  const told = `${program}() { printf '%s\\0' "$@"; }\nTOKEN=t\n${line}`
  const { stdout, stderr } = Bun.spawnSync(['sh', '-c', told])
  expect(stderr.toString()).toBe('')
  return stdout.toString().split('\0').slice(0, -1)
}

/** Runs a script whose request only tells what it would send. */
async function readRequest(code: string): Promise<[address: string, body: string | FormData]> {
  const sent: [string, string | FormData][] = []
  const tell = async (address: string, { body }: { body: string | FormData }) => {
    sent.push([address, body])
    return new Response('{}')
  }
  const names = ['fetch', 'token', 'photo']
  const run = new Function(...names, `return (async () => {\n${code}\n})()`)
  await run(tell, 't', new Blob(['photo']))
  return sent[0] as [string, string | FormData]
}

describe('the code of a search', () => {
  test.each(HOSTILE)('for a shell gives curl the words themselves: %j', (value) => {
    expect(readWords('curl', write('curl', asForm(value)))).toEqual([
      ...[ADDRESS, '-H', 'Authorization: Bearer t', '-F', 'image=@photo.jpg'],
      // Unlike -F, this reads no file for a value with @ or <.
      ...['--form-string', `category=${value}`],
    ])
    const words = readWords('curl', write('curl', asJson(value)))
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ query: value })
  })

  test.each(HOSTILE)('as a script sends the words themselves: %j', async (value) => {
    const [address, form] = await readRequest(write('JavaScript', asForm(value)))
    expect([address, (form as FormData).get('category')]).toEqual([ADDRESS, value])
    const [, body] = await readRequest(write('JavaScript', asJson(value)))
    expect(JSON.parse(String(body))).toEqual({ query: value })
  })

  test.each(HOSTILE)('in PHP ends no text early: %j', (value) => {
    // Within single quotes PHP knows `\'` and `\\` alone.
    const TEXT = /'(?:[^'\\]|\\['\\])*'/g
    for (const [call, expected] of [
      [asForm(value), value],
      [asJson(value), JSON.stringify({ query: value })],
    ] as const) {
      const code = write('PHP', call)
      const texts = [...code.matchAll(TEXT)].map(([text]) => text.slice(1, -1).replace(/\\(['\\])/g, '$1'))
      expect(texts).toContain(expected)
      expect(code.replace(TEXT, '')).not.toContain("'")
    }
  })
})

test.each(HOSTILE)('the command line of a page gives the program the words themselves: %j', (value) => {
  expect(readWords('lookalike', commandOf('store rename', ['shop', value]))).toEqual([
    ...['store', 'rename', 'shop', value],
  ])
})

test('a name that begins with a dash is no option in a copied command', () => {
  expect(commandOf('store rename', ['shop', '--json'])).toBe('lookalike store rename -- shop --json')
  expect(commandOf('store suspend', ['shop'], { reason: '-- no --' })).toBe(
    "lookalike store suspend shop --reason='-- no --'",
  )
  expect(commandOf('billing confirm', ['-x'], { paid: true })).toBe('lookalike billing confirm --paid -- -x')
})
