import { describe, expect, test } from 'bun:test'
import { findWarnings } from '../../../src/commands/service/warnings.ts'
import { findSecretFlags, loadConfig, SETTING_NAMES, Settings, toFlag } from '../../../src/config.ts'

const SECRET = 'a secret of more than 32 bytes in all'

const about = (env: Record<string, string>) => findWarnings(loadConfig(env))

describe('settings of a service that are likely to be a mistake', () => {
  const MAIL = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@b.example' }

  test.each([{}, { HOST: 'localhost' }, { HOST: '127.0.0.1' }, { HOST: '127.9.9.9' }, { HOST: '::1' }])(
    'none with %j',
    (env) => expect(about(env)).toEqual([]),
  )

  test('Stripe offline, or over an open line', () => {
    const stripe = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      BASE_URL: 'https://search.example',
    }
    expect(about(stripe)).toEqual([])
    expect(about({ ...stripe, STRIPE_API_BASE: 'http://127.0.0.1:12111' })).toEqual([])
    expect(about({ ...stripe, STRIPE_API_BASE: 'http://[::1]:12111' })).toEqual([])
    expect(about({ ...stripe, STRIPE_API_BASE: 'http://stripe.example' })).toEqual([
      expect.stringContaining('everyone on the way can read STRIPE_SECRET_KEY'),
    ])
    expect(about({ ...stripe, OFFLINE: '1' })).toEqual([
      expect.stringContaining('Stripe cannot be reached unless FETCH_ALLOW_CIDRS holds its address'),
    ])
  })

  test('mail without a public address', () => {
    expect(about(MAIL)).toEqual([
      expect.stringMatching(/^SMTP_URL is set and BASE_URL is empty: links in mails/),
    ])
  })

  test.each(['0.0.0.0', '::', '192.0.2.1', 'search.example', '127.example', '1127.0.0.1'])(
    'listening on %s without a public address',
    (HOST) => {
      expect(about({ HOST })).toEqual([expect.stringContaining(`HOST is ${HOST} and BASE_URL is empty`)])
      expect(about({ HOST, ...MAIL })).toHaveLength(2)
    },
  )

  test('none once there is one', () => {
    expect(about({ HOST: '0.0.0.0', BASE_URL: 'https://search.example', ...MAIL })).toEqual([])
  })
})

describe('secrets among the flags', () => {
  test.each([
    ['jwt-secret', SECRET, ['JWT_SECRET']],
    ['smtp-url', 'smtp://me:hunter2@mail.example', ['SMTP_URL']],
    ['smtp-url', 'smtps://:hunter2@mail.example:465/', ['SMTP_URL']],
    ['smtp-url', 'smtp://mail.example:587', []],
    ['smtp-url', 'smtp://me@mail.example:587', []],
    ['data-dir', '/var/lib/lookalike', []],
    ['jwt-secret', '', []],
  ] as const)('--%s %s', (flag, value, expected) => {
    expect(findSecretFlags({ [flag]: value }) as readonly string[]).toEqual(expected)
  })

  test('every setting that is called a secret, a token or a key is marked as one', () => {
    const unmarked = SETTING_NAMES.filter(
      (name) =>
        /SECRET|TOKEN$|_KEY$|PASSWORD/.test(name) && Settings.properties[name]['secret'] === undefined,
    )
    expect(unmarked.map(toFlag)).toEqual([])
  })
})
