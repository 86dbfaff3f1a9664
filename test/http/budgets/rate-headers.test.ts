import { expect, test } from 'bun:test'
import { rateHeaders } from '../../../src/http/budgets/rate-headers.ts'

test('RateLimit headers are Structured Fields, the older ones plain numbers; times are seconds', () => {
  expect(rateHeaders('plan', { isAllowed: true, limit: 60, remaining: 12, resetSeconds: 34 })).toEqual({
    'ratelimit-policy': '"plan";q=60;w=60',
    ratelimit: '"plan";r=12;t=34',
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '12',
    'x-ratelimit-reset': '34',
  })
})
