import { describe, expect, test } from 'bun:test'
import { hasLogin, withLogin, withoutLogin } from '../../src/browser/portal/pages/feeds/address.ts'
import { judgeRun, readBrake } from '../../src/browser/portal/pages/feeds/runs.ts'
import { texts } from '../../src/browser/portal/pages/feeds/texts/en.ts'
import { explainDownload } from '../../src/browser/portal/pages/feeds/words.ts'
import { isMask, splitUrl } from '../../src/features/catalogue/product-feeds/credentials.ts'

const URL_ = 'https://shop.test/feed.csv?a=1'

describe('the login of an address', () => {
  test.each([
    ['ben', 'geheim'],
    ['a@b', 'p:w/?#@ ä'],
    ['', 'only a password'],
    ['***', '***x'],
  ])('%j and %j come out as they went in', (user, password) => {
    const url = withLogin(URL_, { user, password })
    const parsed = new URL(url)
    expect([parsed.username, parsed.password].map(decodeURIComponent)).toEqual([user, password])
    expect([hasLogin(url), withoutLogin(url)]).toEqual([true, URL_])
  })

  test('that the service has is named by stars, which it reads as its own', () => {
    for (const url of [URL_, 'HTTPS://shop.test/feed.csv']) {
      const { userInfo } = splitUrl(withLogin(url, 'kept'))
      expect(isMask(userInfo)).toBe(true)
    }
  })

  test('is none for an address without, and for what is no address', () => {
    for (const url of [URL_, '', 'shop.test', 'mailto:a@shop.test', 'javascript:alert(1)']) {
      expect([hasLogin(url), withoutLogin(url)]).toEqual([false, url])
      expect(withLogin(url, null)).toBe(url)
    }
    expect(withLogin('no address', { user: 'a', password: 'b' })).toBe('no address')
  })
})

describe('a run', () => {
  const none = { succeeded: 0, deleted: 0 }
  test.each([
    ['completed', { ...none, succeeded: 1 }, 'good'],
    ['completed', { ...none, deleted: 1 }, 'good'],
    ['completed', none, 'same'],
    ['unchanged', none, 'same'],
    ['stopped', none, 'stopped'],
    ['failed', none, 'bad'],
    ['cancelled', none, 'bad'],
    ['pulling', none, 'running'],
    ['importing', none, 'running'],
    ['finishing', none, 'running'],
  ])('that is %s with %o is %s', (status, counts, outcome) => {
    expect(judgeRun({ status, counts } as Parameters<typeof judgeRun>[0]) as string).toBe(outcome)
  })

  test('says how many products are missing where it was stopped for them, and nothing else', () => {
    const brake = (details?: object) =>
      readBrake({ error: { error: 'x', message: 'x', ...(details && { details }) } } as Parameters<
        typeof readBrake
      >[0])
    expect(brake({ missing: 3, feed_products: 10 })).toEqual({ missing: 3, all: 10 })
    expect(brake({ missing: 3 })).toEqual({ missing: 3, all: null })
    expect([brake({ missing: '3' }), brake(), readBrake({ error: null })]).toEqual([null, null, null])
  })
})

describe('why a file could not be fetched', () => {
  const explain = (error: string, details?: Record<string, unknown>) =>
    explainDownload(
      { error, message: 'of the API', ...(details && { details }) } as Parameters<typeof explainDownload>[0],
      texts,
    )

  test.each([
    [
      { reason: 'http_status', upstream_status: 404 },
      'The server answered with status 404. Check the address: press “Change”.',
    ],
    [{ reason: 'http_status', upstream_status: 429 }, 'The server answered with status 429.'],
    [{ reason: 'http_status', upstream_status: 503 }, 'The server answered with status 503.'],
    [{ reason: 'dns' }, 'The host name in the address is not known. Check its spelling.'],
    [{ reason: 'http_status' }, null],
    [{ reason: 'toString' }, null],
    [{ reason: 'of a later version' }, null],
    [undefined, null],
  ])('%o is told as %p', (details, told) => {
    expect(explain('download_failed', details)).toBe(told)
  })

  test('is not told of another failure', () => {
    expect(explain('file_unreadable', { reason: 'dns' })).toBeNull()
  })
})
