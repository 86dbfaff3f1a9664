import { describe, expect, test } from 'bun:test'
import { DOWNLOAD_FAILURES } from '../../src/core/download-failures.ts'
import { ERRORS } from '../../src/core/errors.ts'
import { PLAN_NAMES, PLANS } from '../../src/core/plans.ts'

describe('why a download failed (`details.reason`)', () => {
  test('each reason has a cause and a cure, in sentences', () => {
    expect(Object.keys(DOWNLOAD_FAILURES).sort()).toEqual([
      'blocked_address',
      'connect',
      'dns',
      'http_status',
      'not_an_image',
      'timeout',
      'tls',
      'too_large',
      'too_many_redirects',
    ])
    for (const { cause, cure } of Object.values(DOWNLOAD_FAILURES)) {
      for (const sentence of [cause, cure]) expect(sentence).toMatch(/^[A-Z].{8,}\.$/)
    }
  })

  test('the register carries them', () => {
    expect(ERRORS.image_download_failed.reasons).toBe(DOWNLOAD_FAILURES)
  })
})

describe('what helps', () => {
  test('a limit of the plan is told with the limits of all plans', () => {
    for (const name of PLAN_NAMES) {
      const { productsMax, requestsPerMinute } = PLANS[name]
      const inWords = (limit: number) => `${name} ${Number.isFinite(limit) ? limit : 'unlimited'}`
      expect(ERRORS.product_limit_exceeded.advice).toContain(inWords(productsMax))
      expect(ERRORS.rate_limit_exceeded.advice).toContain(inWords(requestsPerMinute))
    }
  })

  test('an expired token says where the next one comes from', () => {
    expect(ERRORS.token_expired.advice).toContain('POST /oauth/token')
  })
})
