import { describe, expect, test } from 'bun:test'
import { PLANS } from '../../src/core/plans.ts'
import { isPlans, readPlansFile } from '../../src/core/plans-file.ts'

const BASIC = { title: 'Start', price_per_month: 19, max_products: 2_000, rate_per_minute: 120 }
const read = (file: unknown) => readPlansFile(typeof file === 'string' ? file : JSON.stringify(file))

describe('the file of plans', () => {
  test('stands over the plans as they come', () => {
    const plans = read({ currency: 'usd', plans: { basic: BASIC } })
    expect(plans).toEqual({
      ...PLANS,
      basic: {
        ...PLANS.basic,
        ...{ title: 'Start', pricePerMonth: 19, productsMax: 2_000 },
        ...{ requestsPerMinute: 120, widgetRequestsPerMinute: 120 },
      },
    })
    expect(read({ currency: 'USD', plans: {} })).toEqual(PLANS)
  })

  test('takes null for no limit, except of a widget key', () => {
    const plans = read({
      currency: 'USD',
      plans: { premium: { price_per_month: 0.5, max_products: null, rate_per_minute: null } },
    })
    expect(isPlans(plans) && plans.premium).toMatchObject({
      ...{ title: null, pricePerMonth: 0.5, productsMax: Infinity, requestsPerMinute: Infinity },
      widgetRequestsPerMinute: 1_200,
    })
  })

  const paid = { basic: BASIC, premium: BASIC, enterprise: BASIC }
  test('has all prices in its own currency', () => {
    const plans = read({ currency: 'EUR', plans: paid })
    expect(isPlans(plans) && [plans.currency, plans.free.pricePerMonth, plans.basic.pricePerMonth]).toEqual([
      ...['EUR', 0, 19],
    ])
  })

  const basic = (more: object) => ({ currency: 'USD', plans: { basic: { ...BASIC, ...more } } })
  const without = (key: keyof typeof BASIC) => basic({ [key]: undefined })
  test.each([
    ['{"currency": "EUR",', 'it is not JSON ('],
    [[], 'the file is no object; it must be { "currency": …, "plans": … }'],
    [{ plans: {} }, 'currency is missing; it must be a code of ISO 4217'],
    [{ currency: 'EURO', plans: {} }, 'currency must be a code of ISO 4217'],
    [{ currency: 'USD' }, 'plans is missing; it must be'],
    [{ currency: 'USD', plans: [] }, 'plans is no object'],
    [{ currency: 'USD', plans: {}, curency: 1 }, 'curency is unknown; did you mean currency?'],
    [{ currency: 'USD', plans: { premum: BASIC } }, 'plans.premum is unknown; did you mean premium?'],
    [
      { currency: 'USD', plans: { gold: BASIC } },
      'plans.gold is unknown; known are free, basic, premium, enterprise',
    ],
    [{ currency: 'USD', plans: { basic: null } }, 'plans.basic is no object'],
    [basic({ price: 3 }), 'plans.basic.price is unknown; '],
    [without('price_per_month'), 'plans.basic.price_per_month is missing; it must be a number'],
    [without('max_products'), 'plans.basic.max_products is missing; it must be a whole number'],
    [without('rate_per_minute'), 'plans.basic.rate_per_minute is missing; it must be a whole number'],
    [basic({ price_per_month: '19' }), 'plans.basic.price_per_month must be a number'],
    [basic({ price_per_month: -1 }), 'plans.basic.price_per_month must be a number from 0'],
    [basic({ price_per_month: 1.005 }), 'plans.basic.price_per_month must have no more digits'],
    [basic({ price_per_month: null }), 'plans.basic.price_per_month must be a number'],
    [basic({ max_products: 0 }), 'plans.basic.max_products must be a whole number from 1'],
    [basic({ max_products: 2.5 }), 'plans.basic.max_products must be a whole number'],
    [basic({ rate_per_minute: '60' }), 'plans.basic.rate_per_minute must be a whole number'],
    [basic({ title: 'a\nb' }), 'plans.basic.title must be one line'],
    [
      { currency: 'EUR', plans: { basic: BASIC } },
      'plans.premium is missing: without it the plan costs 99.99 USD',
    ],
    [
      { currency: 'JPY', plans: { ...paid, basic: { ...BASIC, price_per_month: 9.5 } } },
      'digits after the point than JPY has',
    ],
  ])('refuses %j with its place', (file, words) => {
    const problems = read(file)
    expect(isPlans(problems)).toBe(false)
    expect((problems as readonly string[]).join('\n')).toContain(words)
  })

  test('tells all problems at once', () => {
    expect(read({ currency: 'X', plans: { gold: 1, basic: { ...BASIC, max_products: -1 } } })).toHaveLength(2)
    expect(read(basic({ max_products: -1, rate_per_minute: -1 }))).toHaveLength(2)
  })
})
