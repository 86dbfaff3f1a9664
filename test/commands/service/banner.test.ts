import { describe, expect, test } from 'bun:test'
import { type BannerFacts, formatBanner } from '../../../src/commands/service/banner.ts'

const FACTS: BannerFacts = {
  address: 'http://127.0.0.1:8080',
  baseUrl: 'http://127.0.0.1:8080',
  dataDir: '/srv/data',
  model: 'a-model',
  setup: undefined,
}
const format = (facts: Partial<BannerFacts>, DATA_DIR = './data') =>
  formatBanner({ ...FACTS, ...facts }, { DATA_DIR }, ['192.0.2.7'])

test('names addresses, data folder and model', () => {
  const text = format({})
  expect(text).toContain('Listens on      http://127.0.0.1:8080\n')
  expect(text).toContain('API page        http://127.0.0.1:8080/docs\n')
  expect(text).toContain('Data folder     /srv/data\n')
  expect(text).toContain('Model           a-model\n')
  expect(text).not.toContain('192.0.2.7')
  expect(text).not.toContain('setup')
})

test('a host that stands for every address is told as the addresses that lead there', () => {
  const address = 'http://0.0.0.0:81'
  const text = format({ address, baseUrl: address })
  expect(text).toContain('http://127.0.0.1:81\n')
  expect(text).toContain('http://192.0.2.7:81\n')
  expect(text).not.toContain('0.0.0.0:81/docs')
})

test('a public address stands first, and the pages are there', () => {
  const text = format({ baseUrl: 'https://search.shop.example' })
  expect(text).toContain('Public address  https://search.shop.example\n')
  expect(text).toContain('https://search.shop.example/docs\n')
})

describe('without an owner', () => {
  const setup = {
    url: 'http://127.0.0.1:8080/setup#3f7k-q2mx-9tbw-x4hd',
    expiresAt: new Date(2030, 0, 1, 21, 20).getTime(),
  }

  test('it shows the link to the set-up, how long it works, and how to get another', () => {
    expect(format({ setup })).toContain(
      'http://127.0.0.1:8080/setup#3f7k-q2mx-9tbw-x4hd\n    (works once, until 21:20; "lookalike setup-link" prints a new one)\n',
    )
    expect(format({ setup }, '/my data')).toContain(`"lookalike setup-link --data-dir '/my data'"`)
  })

  test('it says how to open a link to this machine from elsewhere', () => {
    expect(format({ setup })).toContain('ssh -L 8080:127.0.0.1:8080 you@server\n')
    const url = 'https://search.shop.example/setup#3f7k-q2mx-9tbw-x4hd'
    expect(format({ setup: { ...setup, url } })).not.toContain('ssh')
  })

  test('it names the command that needs no browser, in this folder', () => {
    expect(format({ setup })).toContain("lookalike setup --email me@shop.example --store 'My shop'")
    expect(format({ setup }, '/my data')).toContain("setup --data-dir '/my data' --email")
  })
})
