import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BadSignature, checkSignature, readReleaseKey } from '../../../src/commands/upgrade/minisign.ts'
import { findTrustProblems, readExpected } from '../../../src/commands/upgrade/trust.ts'

/** Made with minisign 0.11. */
const KEY = 'RWThvbSwlq5qLtn4jtvxixEz7EJBNTOdSCZdkC8g5G0UYti9vbLjIeD/'
const CONTENT = Buffer.from('abc  lookalike\n')
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUThvbSwlq5qLnWuviEcz5vjD6WW2TXUccgcIim7rCBinod0Gfx0Xf1jWlm1+cF+hCfx+H59p4ykLAjNvUitqOkTDLbLTyTP8wc=
trusted comment: lookalike 0.2.0
A1S6s/bgsoPWuN2LCnSEa6cY0Iyp9fi6GWDYWOuHe84CHos67lXeeZcxgiXgiWJbjb1HaUionOdldED7xdC2Cw==
`

describe('a signature of minisign', () => {
  const key = readReleaseKey(KEY)
  const whySo = (content: Uint8Array, signature: string, by = key) => {
    try {
      return checkSignature(content, signature, by)
    } catch (error) {
      if (!(error instanceof BadSignature)) throw error
      return error.message
    }
  }

  test('is right for what was signed, and gives its trusted comment', () => {
    expect(key.id).toBe('2E6AAE96B0B4BDE1')
    expect(whySo(CONTENT, SIGNATURE)).toBe('lookalike 0.2.0')
    expect(whySo(CONTENT, SIGNATURE.replaceAll('\n', '\r\n'))).toBe('lookalike 0.2.0')
  })

  test('is wrong for other content, another key, a changed comment, a cut file, and anything else', () => {
    expect(whySo(Buffer.from('abd  lookalike\n'), SIGNATURE)).toBe('the file is not the one that was signed')
    expect(whySo(CONTENT, SIGNATURE.replace('0.2.0', '0.3.0'))).toBe('its comment was changed')
    const other = signAs(newKey(), CONTENT, 'lookalike 0.2.0')
    expect(whySo(CONTENT, other.signature)).toBe(`it was made with another key, ${other.id}`)
    const [first = '', second = '', third = '', fourth = ''] = SIGNATURE.split('\n')
    expect(whySo(CONTENT, [first, second.slice(0, 60), third, fourth].join('\n'))).toBe('it is cut')
    expect(whySo(CONTENT, [first, second, third].join('\n'))).toBe('it is cut')
    // The same key number, without the key.
    const forged = signAs({ ...newKey(), id: idBytes() }, CONTENT, 'lookalike 0.2.0')
    expect(whySo(CONTENT, forged.signature)).toBe('the file is not the one that was signed')
    for (const text of ['', 'abc', '\n\n\n\n', '<!doctype html>', 'untrusted comment: x'])
      expect(whySo(CONTENT, text)).toBe('it is no signature of minisign')
  })

  test('a line that is no key is refused', () => {
    for (const line of ['', 'abc', KEY.slice(4), `AA${KEY.slice(2)}`])
      expect(() => readReleaseKey(line)).toThrow(BadSignature)
  })

  const idBytes = () => Buffer.from(KEY, 'base64').subarray(2, 10)
})

describe('what a file must be', () => {
  const maker = newKey()
  const hash = createHash('sha256').update('program').digest('hex')
  let folder: string
  const file = () => join(folder, 'lookalike-0.2.0-linux-x64')
  const publish = (
    sums = `${hash}  lookalike-0.2.0-linux-x64\n${'0'.repeat(64)}  NOTES.md\n`,
    key = maker,
  ) => {
    writeFileSync(join(folder, 'SHA256SUMS'), sums)
    writeFileSync(
      join(folder, 'SHA256SUMS.minisig'),
      signAs(key, Buffer.from(sums), 'lookalike 0.2.0').signature,
    )
  }
  const trust = { sha256: undefined, sums: undefined, isUnsigned: false }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lookalike-trust-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('one of the files in the signed sums beside it, or in those that --sums names', () => {
    publish()
    const path = join(folder, 'SHA256SUMS')
    const expected = { hashes: [hash, '0'.repeat(64)], source: path }
    expect(readExpected(file(), trust, maker.line)).toEqual(expected)
    expect(readExpected('/elsewhere/program', { ...trust, sums: path }, maker.line)).toEqual(expected)
    expect(readExpected(file(), { ...trust, sha256: hash.toUpperCase() }, maker.line)).toEqual({
      hashes: [hash.toUpperCase()],
      source: '--sha256',
    })
  })

  test('a release never takes what is not signed, unless it is told to', () => {
    expect(() => readExpected(file(), trust, maker.line)).toThrow(
      /There is no .*SHA256SUMS and no .*SHA256SUMS.minisig. This program takes only versions that are signed/,
    )
    expect(() => readExpected(file(), { ...trust, sha256: hash }, maker.line)).toThrow(/There is no /)
    publish(undefined, newKey())
    expect(() => readExpected(file(), trust, maker.line)).toThrow(/it was made with another key/)
    publish()
    writeFileSync(join(folder, 'SHA256SUMS'), `${'1'.repeat(64)}  lookalike-0.2.0-linux-x64\n`)
    expect(() => readExpected(file(), trust, maker.line)).toThrow(/the file is not the one that was signed/)
    const own = { ...trust, sha256: hash, isUnsigned: true }
    expect(readExpected(file(), own, maker.line)).toEqual({ hashes: [hash], source: '--sha256' })
  })

  test('a hash that the signed sums do not have is refused, and so are sums that are too large', () => {
    publish()
    const other = { ...trust, sha256: '2'.repeat(64) }
    expect(() => readExpected(file(), other, maker.line)).toThrow(/has no file with the SHA-256 of --sha256/)
    publish('x'.repeat(1_000_001))
    expect(() => readExpected(file(), trust, maker.line)).toThrow(/it is no file, or too large/)
  })

  test('a build of its own knows no key, so it needs the hash', () => {
    expect(readExpected(file(), { ...trust, sha256: hash }, undefined)).toEqual({
      hashes: [hash],
      source: '--sha256',
    })
    expect(findTrustProblems(trust, undefined)).toEqual([
      '--sha256 HASH is missing: this program was not built as a release, so it knows no release key',
    ])
    expect(findTrustProblems({ ...trust, sha256: hash, sums: 'x' }, undefined)).toHaveLength(1)
    expect(findTrustProblems(trust, maker.line)).toEqual([])
    expect(findTrustProblems({ ...trust, isUnsigned: true }, maker.line)).toEqual([
      '--unsigned needs --sha256 HASH',
    ])
    expect(findTrustProblems({ sha256: 'abc', sums: 'x', isUnsigned: true }, maker.line)).toEqual([
      '--sha256 must have 64 hex digits',
      '--sums and --unsigned exclude each other',
    ])
  })
})

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const id = Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  return { id, privateKey, line: Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64') }
}

/** What minisign writes. */
function signAs(
  { id, privateKey }: Pick<ReturnType<typeof newKey>, 'id' | 'privateKey'>,
  content: Uint8Array,
  comment: string,
) {
  const own = sign(null, createHash('blake2b512').update(content).digest(), privateKey)
  const whole = sign(null, Buffer.concat([own, Buffer.from(comment)]), privateKey)
  const first = Buffer.concat([Buffer.from('ED'), id, own]).toString('base64')
  const signature = `untrusted comment: x\n${first}\ntrusted comment: ${comment}\n${whole.toString('base64')}\n`
  return { id: Buffer.from(id).reverse().toString('hex').toUpperCase(), signature }
}
