import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseCidrs } from '../../../src/core/networks.ts'
import { recordBar } from '../../robustness/bars.ts'
import { ipv4Number, SPECIAL_BLOCKS, threeOf } from '../outbound/special-blocks.ts'
import { createServers, failureOf, localFetcher, PNG } from './servers.ts'

/** The one address of this machine that the fetcher of these tests may reach. */
const ALLOWED = '127.9.9.9'

const TARGETS = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.5.4',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '198.18.0.1',
]

const servers = createServers()
let trapConnections = 0
let trapPort = 0
let hopPort = 0

beforeAll(async () => {
  // Answers on every address of this machine, so that a connection to any local target is counted.
  trapPort = await servers.tcp((socket) => {
    trapConnections += 1
    socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${PNG.length}\r\n\r\n${PNG.toString('latin1')}`, 'latin1')
  }, '0.0.0.0')
  hopPort = await servers.http((request, response) => {
    const query = new URL(request.url ?? '/', 'http://hop.test').searchParams
    const left = Number(query.get('hops'))
    const further = `/?code=${query.get('code')}&hops=${left - 1}&to=${encodeURIComponent(query.get('to') ?? '')}`
    response
      .writeHead(Number(query.get('code')), { Location: left > 1 ? further : (query.get('to') ?? '') })
      .end()
  }, ALLOWED)
})

afterAll(servers.stop)

const fetcher = localFetcher({ allowCidrs: parseCidrs(ALLOWED), lookup: async () => [ALLOWED] })

let refused = 0
/** Downloads all, and gives those that were not refused for their address. */
const unrefused = async (
  urls: string[],
  isExpected: (failure: { code: string; reason?: unknown }) => boolean,
) => {
  const failures = await Promise.all(
    urls.map(async (url) => ({ url, ...(await failureOf(fetcher.fetch(url))) })),
  )
  refused += failures.length
  return failures.filter((failure) => !isExpected(failure))
}

const isBlocked = ({ code, reason }: { code: string; reason?: unknown }) =>
  code === 'image_download_failed' && reason === 'blocked_address'
const isNotAllowed = ({ code }: { code: string }) => code === 'url_not_allowed'
const isRefused = (failure: { code: string; reason?: unknown }) => isBlocked(failure) || isNotAllowed(failure)

const hex = (value: bigint | number, digits = 0) => value.toString(16).padStart(digits, '0')
const partsOf = (address: string) => address.split('.').map(Number) as [number, number, number, number]
const groupsOf = (address: string) => {
  const digits = hex(ipv4Number(address), 8)
  return `${digits.slice(0, 4)}:${digits.slice(4)}`
}
const eachDigit = (address: string, shift: number) =>
  address.replace(/\d/g, (digit) => String.fromCodePoint(Number(digit) + shift))

/** Ways to write an IPv4 address that some reader somewhere understands. */
const ENCODINGS: Record<string, (address: string) => string> = {
  plain: (a) => a,
  decimal: (a) => `${ipv4Number(a)}`,
  hexadecimal: (a) => `0x${hex(ipv4Number(a), 8)}`,
  'upper-case hexadecimal': (a) => `0X${hex(ipv4Number(a), 8).toUpperCase()}`,
  octal: (a) => `0${ipv4Number(a).toString(8)}`,
  'dotted hexadecimal': (a) =>
    partsOf(a)
      .map((part) => `0x${hex(part)}`)
      .join('.'),
  'dotted octal': (a) =>
    partsOf(a)
      .map((part) => `0${part.toString(8)}`)
      .join('.'),
  'padded octal': (a) =>
    partsOf(a)
      .map((part) => `0000${part.toString(8)}`)
      .join('.'),
  mixed: (a) =>
    partsOf(a)
      .map((part, at) => (at % 2 ? `0x${hex(part)}` : `0${part.toString(8)}`))
      .join('.'),
  'three parts': (a) => `${partsOf(a)[0]}.${partsOf(a)[1]}.${partsOf(a)[2] * 256 + partsOf(a)[3]}`,
  'two parts': (a) => `${partsOf(a)[0]}.${ipv4Number(a) % 2n ** 24n}`,
  'final dot': (a) => `${a}.`,
  'decimal with final dot': (a) => `${ipv4Number(a)}.`,
  'two final dots': (a) => `${a}..`,
  'full-width digits': (a) => eachDigit(a, 0xff10),
  'bold digits': (a) => eachDigit(a, 0x1d7ce),
  'ideographic dots': (a) => a.replaceAll('.', '。'),
  'soft hyphens': (a) => a.replaceAll('.', '\u00ad.'),
  'escaped digits': (a) => a.replace(/\d/g, (digit) => `%3${digit}`),
  'escaped dots': (a) => a.replaceAll('.', '%2e'),
  mapped: (a) => `[::ffff:${a}]`,
  'mapped groups': (a) => `[::FFFF:${groupsOf(a)}]`,
  'mapped in full': (a) => `[0000:0000:0000:0000:0000:ffff:${groupsOf(a)}]`,
  compatible: (a) => `[::${a}]`,
  translated: (a) => `[::ffff:0:${a}]`,
  NAT64: (a) => `[64:ff9b::${a}]`,
  'local NAT64': (a) => `[64:ff9b:1::${a}]`,
  '6to4': (a) => `[2002:${groupsOf(a)}::1]`,
  Teredo: (a) => `[2001:0:${groupsOf(a)}:0:0:0:0]`,
  'Teredo client': (a) => `[2001::${hex(~ipv4Number(a) & 0xffffffffn, 8).replace(/(.{4})/, '$1:')}]`,
  'zone id': (a) => `[::ffff:${a}%25lo]`,
  'raw zone id': (a) => `[::ffff:${a}%lo]`,
  'mixed-case localhost': () => 'LocalHost',
  'localhost with dot': () => 'localhost.',
}

describe('addresses that no stranger may reach are refused without a connection', () => {
  test.each(SPECIAL_BLOCKS)('the first, a middle and the last of %s', async (block) => {
    const hosts = threeOf(block).map((address) => (address.includes(':') ? `[${address}]` : address))
    expect(
      await unrefused(
        hosts.map((host) => `http://${host}:${trapPort}/a.png`),
        isBlocked,
      ),
    ).toEqual([])
    expect(
      await unrefused(
        hosts.map((host) => `https://${host}/a.png`),
        isBlocked,
      ),
    ).toEqual([])
  })

  test.each(Object.keys(ENCODINGS))('written as %s', async (name) => {
    const encode = ENCODINGS[name] ?? String
    const urls = TARGETS.map((target) => `http://${encode(target)}:${trapPort}/a.png`)
    expect(await unrefused(urls, isRefused)).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('behind one, two and three redirects of %i', async (code) => {
    const urls = TARGETS.flatMap((target) =>
      [1, 2, 3].map((hops) => {
        const to = encodeURIComponent(`http://${target}:${trapPort}/a.png`)
        return `http://hop.test:${hopPort}/?code=${code}&hops=${hops}&to=${to}`
      }),
    )
    expect(await unrefused(urls, isBlocked)).toEqual([])
  })

  test.each([
    'file:///etc/passwd',
    '//127.0.0.1:1/a',
    'ftp://hop.test/a',
    'gopher://hop.test/',
    'http://user@hop.test/',
    'http://[::ffff:7f00:1]/',
    'http://2130706433/',
    'http://localhost/',
    'javascript:alert(1)',
    'data:image/png;base64,iVBORw0KGgo=',
  ])('behind a redirect to %s', async (to) => {
    const url = `http://hop.test:${hopPort}/?code=302&hops=1&to=${encodeURIComponent(to)}`
    expect(await unrefused([url], isBlocked)).toEqual([])
  })

  test('behind a redirect to a public server on another port', async () => {
    const answers = [ALLOWED, '93.184.215.14']
    const twoFaced = localFetcher({
      allowCidrs: parseCidrs(ALLOWED),
      lookup: async () => answers.splice(0, 1),
    })
    const url = `http://hop.test:${hopPort}/?code=302&hops=1&to=http://cdn.test:22/`
    expect(await failureOf(twoFaced.fetch(url))).toMatchObject({ reason: 'blocked_address' })
    expect(answers).toEqual([])
  })

  test('as an answer of the name server, alone, mixed, or changing between two downloads', async () => {
    const answers = [
      ['127.0.0.1'],
      ['::1'],
      ['10.0.0.1'],
      ['fd00::1'],
      ['::ffff:127.0.0.1'],
      [ALLOWED, '127.0.0.1'],
      ['127.0.0.1', ALLOWED],
      ['93.184.215.14', '127.0.0.1'],
      ['2606:4700:4700::1111', '::1'],
      ['fe80::1%lo'],
    ]
    for (const answer of answers) {
      const rebound = localFetcher({ allowCidrs: parseCidrs(ALLOWED), lookup: async () => answer })
      refused += 1
      expect(await failureOf(rebound.fetch(`http://rebind.test:${trapPort}/`)).then(isBlocked)).toBe(true)
    }
  })

  test('a name that changes its address at every look reaches only the allowed one, in 200 downloads', async () => {
    // The very same port as the trap's, at the one address the fetcher may use: the trap holds every other.
    let looks = 0
    let served = 0
    const port = await servers.http((_, response) => {
      served += 1
      response.end(PNG)
    }, ALLOWED)
    await servers.tcp(
      () => {
        trapConnections += 1
      },
      '127.0.0.1',
      port,
    )
    const rebinding = localFetcher({
      allowCidrs: parseCidrs(ALLOWED),
      lookup: async () => [looks++ % 2 === 0 ? ALLOWED : '127.0.0.1'],
    })
    const outcomes: PromiseSettledResult<Uint8Array>[] = []
    // The line takes 32 of one store at a time.
    while (outcomes.length < 200) {
      const some = Array.from({ length: 20 }, () => rebinding.fetch(`http://rebind.test:${port}/`))
      outcomes.push(...(await Promise.allSettled(some)))
    }
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(100)
    expect({ looks, served }).toEqual({ looks: 200, served: 100 })
  })
})

describe('forms of address that are not allowed', () => {
  test.each([
    'ftp',
    'ftps',
    'sftp',
    'file',
    'gopher',
    'dict',
    'ldap',
    'ldaps',
    'tftp',
    'ssh',
    'telnet',
    'ws',
    'wss',
    'smb',
    'jar',
    'data',
    'javascript',
    'blob',
    'about',
    'view-source',
    'http+unix',
    'httpx',
    'unix',
    'h2c',
    'phar',
    'netdoc',
  ])('the scheme %s', async (scheme) => {
    const urls = [
      `${scheme}://hop.test:${hopPort}/a.png`,
      `${scheme}:hop.test`,
      `${scheme.toUpperCase()}:///a`,
    ]
    expect(await unrefused(urls, isNotAllowed)).toEqual([])
  })

  test('tricks with user names, backslashes, fragments and white space', async () => {
    const trap = `127.0.0.1:${trapPort}`
    const hop = `hop.test:${hopPort}`
    const urls = [
      `http://user@${hop}/`,
      `http://user:word@${hop}/`,
      `http://@${hop}/`,
      `http://:@${hop}/`,
      `http://:word@${hop}/`,
      `http://${hop}@${trap}/`,
      `http://${trap}@${hop}/`,
      `http://a@b@${trap}/`,
      `http://${hop}%40${trap}/`,
      `http://${hop}\\@${trap}/`,
      `http://${hop}\\.${trap}/`,
      `http:\\\\${trap}\\a`,
      `http:/\\${trap}/a`,
      `http:${trap}/a`,
      `http:/${trap}/a`,
      `http:///${trap}/a`,
      `http:////${trap}/a`,
      `//${trap}/a`,
      `${trap}/a`,
      `/a.png`,
      '',
      ' ',
      'a',
      'http',
      'http:',
      'http://',
      'http:///',
      'http://?',
      'http://#',
      'http://:80/',
      'http://./',
      `http://\t${trap}/`,
      `ht\ntp://${trap}/`,
      `http://127.0.0.1\r\nHost: x/`,
      `http://${hop}/a\u0000b`,
      `\u0001http://${hop}/`,
      `http://${hop}/\r\nX: y`,
      `http://[${trap}]/`,
      'http://[::1',
      'http://::1/',
      'http://[]/',
      'http://[::1]x/',
      'http://1.2.3.4.5/',
      'http://256.256.256.256/',
      'http://0x100000000/',
      'http://hop.test:99999/',
      'http://hop.test:-1/',
      'http://hop.test:8x/',
      'http://hop test/',
      'http://hop%00.test/',
      'http://%/',
      'http://hop<.test/',
      'http://xn--/',
    ]
    expect(await unrefused(urls, isNotAllowed)).toEqual([])
    const confusing = [
      `http://${trap}#@hop.test/`,
      `http://${trap}?@hop.test/`,
      `http://${trap}/@hop.test`,
      `http://${trap};@hop.test/`,
      `http://127.0.0.1:${trapPort}#hop.test`,
      `HTTP://127。0。0。1:${trapPort}/`,
      `http://①②⑦.0.0.1:${trapPort}/`,
      `http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:${trapPort}/`,
      `http://localhost.:${trapPort}/`,
      `http://a.localhost:${trapPort}/`,
    ]
    expect(await unrefused(confusing, isRefused)).toEqual([])
  })

  test('an address longer than 2048 characters', async () => {
    expect(await unrefused([`http://hop.test:${hopPort}/${'a'.repeat(2048)}`], isNotAllowed)).toEqual([])
  })

  test('a redirect from https to http', async () => {
    const { CERTIFICATE } = await import('./certificate.ts')
    const port = await servers.https(
      (_, response) => void response.writeHead(302, { Location: `http://127.0.0.1:${trapPort}/` }).end(),
    )
    const failure = await failureOf(localFetcher({ ca: CERTIFICATE }).fetch(`https://pictures.test:${port}/`))
    expect(failure).toMatchObject({ code: 'image_download_failed', reason: 'blocked_address' })
  })
})

test('offline, a public name is refused and an allowed network is not', async () => {
  const offline = (address: string) => localFetcher({ isOffline: true, lookup: async () => [address] })
  expect(await failureOf(offline('93.184.215.14').fetch('https://cdn.test/'))).toMatchObject({
    reason: 'blocked_address',
  })
  expect(await failureOf(offline('127.0.0.1').fetch('http://near.test:1/'))).toMatchObject({
    reason: 'connect',
  })
})

test('of more than 500 refused downloads none reached the trap, which does count', async () => {
  const measured = `${trapConnections} connections at the trap`
  recordBar({ bar: 11, part: 'corpus', on: 'process', n: refused, measured, isMet: trapConnections === 0 })
  expect(refused).toBeGreaterThanOrEqual(500)
  expect(trapConnections).toBe(0)
  await localFetcher().fetch(`http://127.0.0.1:${trapPort}/a.png`)
  expect(trapConnections).toBe(1)
})
