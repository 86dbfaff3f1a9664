import { describe, expect, test } from 'bun:test'
import { cpus } from 'node:os'
import { loadConfig, SETTING_NAMES, Settings, toFlag } from '../src/config.ts'
import { OperatorError } from '../src/core/operator-error.ts'

/** What is wrong, line by line. */
function problems(
  env: Record<string, string>,
  flags: Record<string, string> = {},
  files: Record<string, string> = {},
): string[] {
  try {
    loadConfig(env, flags, fileReader(files))
  } catch (error) {
    if (!(error instanceof OperatorError && error.kind === 'wrong_input')) throw error
    const [title, ...lines] = error.message.split('\n')
    expect(title).toBe('Bad settings:')
    return lines.map((line) => line.trim().split(/[: ]/, 1)[0] ?? '')
  }
  return []
}

const fileReader = (files: Record<string, string>) => (path: string) => {
  const text = files[path]
  if (text === undefined) throw new Error(`ENOENT ${path}`)
  return text
}

test('BASE_URL loses the slash at its end', () => {
  expect(loadConfig({ BASE_URL: 'https://shop.example/search/' }).BASE_URL).toBe(
    'https://shop.example/search',
  )
})

describe('defaults (contract 8.5)', () => {
  test('an empty environment gives every setting its default', () => {
    expect(loadConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8080,
      BASE_URL: '',
      DATA_DIR: './data',
      JWT_SECRET: '',
      TOKEN_LIFETIME_S: 3600,
      REGISTRATION: '',
      DEFAULT_PLAN: 'free',
      OFFLINE: false,
      FETCH_ALLOW_CIDRS: '',
      TRUSTED_PROXIES: '',
      SMTP_URL: '',
      MAIL_FROM: '',
      MODEL_DIR: '',
      INFERENCE_THREADS: cpus().length,
      LOG_LEVEL: 'info',
    })
  })

  test('every setting has a default and says what it means', () => {
    for (const name of SETTING_NAMES) {
      const { default: value, description } = Settings.properties[name]
      expect([name, value]).not.toEqual([name, undefined])
      expect(description).toEndWith('.')
      expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/)
    }
  })

  test('empty counts as not given, in the environment and as a flag', () => {
    expect(loadConfig({ PORT: '', HOST: '' }, { port: '' })).toEqual(loadConfig({}))
  })

  test('the settings cannot be changed', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true)
  })

  test('what is no setting of ours is left alone', () => {
    expect(loadConfig({ PATH: '/bin', PORTS: 'x', port: 'y' })).toEqual(loadConfig({}))
  })
})

describe('types', () => {
  test.each([
    ['PORT', '0', 0],
    ['PORT', '65535', 65_535],
    ['PORT', ' 80 ', 80],
    ['TOKEN_LIFETIME_S', '60', 60],
    ['OFFLINE', '1', true],
    ['OFFLINE', '0', false],
    ['OFFLINE', 'TRUE', true],
    ['OFFLINE', 'false', false],
    ['LOG_LEVEL', 'silent', 'silent'],
    ['BASE_URL', 'https://shop.example/lookalike', 'https://shop.example/lookalike'],
    ['JWT_SECRET', 'x'.repeat(32), 'x'.repeat(32)],
    ['HOST', '::1', '::1'],
    ['REGISTRATION', 'closed', 'closed'],
    ['DEFAULT_PLAN', 'premium', 'premium'],
    ['MAIL_FROM', 'search@shop.example', 'search@shop.example'],
    ['MAIL_FROM', 'The shop’s search <search@shop.example>', 'The shop’s search <search@shop.example>'],
  ] as const)('%s=%p is %p', (name, text, value) => {
    expect(loadConfig({ [name]: text })[name] as unknown).toBe(value)
  })

  test.each([
    ['PORT', 'abc'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', '9'.repeat(30)],
    ['TOKEN_LIFETIME_S', '59'],
    ['TOKEN_LIFETIME_S', '86401'],
    ['INFERENCE_THREADS', '0'],
    ['OFFLINE', 'yes'],
    ['OFFLINE', 'constructor'],
    ['OFFLINE', '2'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'infox'],
    ['BASE_URL', 'shop.example'],
    ['BASE_URL', 'ftp://shop.example'],
    ['BASE_URL', 'https://shop .example'],
    ['BASE_URL', 'https://user:password@shop.example'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['REGISTRATION', 'everyone'],
    ['DEFAULT_PLAN', 'gold'],
    ['DEFAULT_PLAN', 'constructor'],
    ['MAIL_FROM', 'no-address'],
    ['MAIL_FROM', 'a@shop.example, b@shop.example'],
    ['MAIL_FROM', 'a@shop.example\r\nBcc: b@shop.example'],
    ['MAIL_FROM', 'Shop\n <a@shop.example>'],
  ])('%s=%p is refused, by name and never by value', (name, text) => {
    expect(problems({ [name]: text })).toEqual([name])
    expect(() => loadConfig({ [name]: text })).toThrow(OperatorError)
    try {
      loadConfig({ [name]: text })
    } catch (error) {
      if (text.length > 4) expect((error as Error).message).not.toContain(text)
    }
  })

  test.each([
    'mail.example',
    'http://mail.example',
    'smtp://',
    'smtp://me:hunter2@mail.example/path',
    'smtp://me:hun ter2@mail',
  ])('SMTP_URL=%p is refused, by name and never by value', (text) => {
    expect(problems({ SMTP_URL: text, MAIL_FROM: 'a@shop.example' })).toEqual(['SMTP_URL'])
    expect(() => loadConfig({ SMTP_URL: text })).not.toThrow(/hunter2/)
  })

  test('Stripe needs the secret of its events, and an address without a path', () => {
    const STRIPE_SECRET_KEY = 'sk_test_hunter2'
    expect(problems({ STRIPE_SECRET_KEY })).toEqual(['STRIPE_WEBHOOK_SECRET'])
    expect(() => loadConfig({ STRIPE_SECRET_KEY })).not.toThrow(/hunter2/)
    const both = { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET: 'whsec_x' }
    expect(loadConfig({ ...both, STRIPE_API_BASE: 'http://127.0.0.1:12111' })).toMatchObject(both)
    for (const STRIPE_API_BASE of [
      'stripe.test',
      'ftp://stripe.test',
      'https://stripe.test/v1',
      'https://a@b.test',
    ])
      expect(problems({ ...both, STRIPE_API_BASE })).toEqual(['STRIPE_API_BASE'])
  })

  test('a mail server needs a sender', () => {
    expect(problems({ SMTP_URL: 'smtps://me:hunter2@mail.example' })).toEqual(['MAIL_FROM'])
    const { SMTP_URL } = loadConfig({
      SMTP_URL: 'smtps://me:hunter2@mail.example:465',
      MAIL_FROM: 'a@b.example',
    })
    expect(SMTP_URL).toBe('smtps://me:hunter2@mail.example:465')
  })

  test('all mistakes are told at once', () => {
    expect(
      problems({ PORT: 'x', OFFLINE: 'x', JWT_SECRET: 'short', HOST: 'fine', LOG_LEVEL: 'x' }).sort(),
    ).toEqual(['JWT_SECRET', 'LOG_LEVEL', 'OFFLINE', 'PORT'])
  })
})

describe('<NAME>_FILE', () => {
  const SECRET = 's'.repeat(40)

  test('gives the value of a file, without the line end', () => {
    expect(
      loadConfig({ JWT_SECRET_FILE: '/run/secret' }, {}, fileReader({ '/run/secret': `${SECRET}\n` }))
        .JWT_SECRET,
    ).toBe(SECRET)
    expect(loadConfig({ PORT_FILE: '/p' }, {}, fileReader({ '/p': '9090\r\n' })).PORT).toBe(9090)
  })

  test('the setting itself wins, the file counts when the setting is empty', () => {
    const files = fileReader({ '/p': '9090' })
    expect(loadConfig({ PORT: '7070', PORT_FILE: '/p' }, {}, files).PORT).toBe(7070)
    expect(loadConfig({ PORT: '', PORT_FILE: '/p' }, {}, files).PORT).toBe(9090)
  })

  test('a file that cannot be read, and an empty one, are refused rather than passed over', () => {
    expect(problems({ JWT_SECRET_FILE: '/nowhere/secret-path', PORT: 'x' })).toEqual([
      'JWT_SECRET_FILE',
      'PORT',
    ])
    expect(problems({ JWT_SECRET_FILE: '/empty' }, {}, { '/empty': ' \n' })).toEqual(['JWT_SECRET_FILE'])
  })

  test('a bad value in a file is told by name, not by value', () => {
    expect(problems({ JWT_SECRET_FILE: '/short' }, {}, { '/short': 'hunter2' })).toEqual(['JWT_SECRET'])
    expect(() =>
      loadConfig({ JWT_SECRET_FILE: '/short' }, {}, fileReader({ '/short': 'hunter2' })),
    ).not.toThrow(/hunter2/)
  })
})

describe('flags', () => {
  test('win over the environment and over files', () => {
    expect(
      loadConfig({ PORT: '1111', PORT_FILE: '/p' }, { port: '2222' }, fileReader({ '/p': '3' })).PORT,
    ).toBe(2222)
  })

  test('are the names in kebab-case', () => {
    expect(toFlag('DATA_DIR')).toBe('data-dir')
    expect(toFlag('TOKEN_LIFETIME_S')).toBe('token-lifetime-s')
    expect(loadConfig({}, { 'data-dir': '/d' }).DATA_DIR).toBe('/d')
  })
})

describe('COPIES_TO and STANDBY', () => {
  const S3 = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }

  test('are a bucket with a key', () => {
    expect(loadConfig({ ...S3, COPIES_TO: 's3://bucket/shop' }).COPIES_TO).toBe('s3://bucket/shop')
    expect(() => loadConfig({ STANDBY: 's3://bucket/shop' })).toThrow(
      'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with a bucket in STANDBY',
    )
    for (const COPIES_TO of ['/mnt/nas', 's3://bucket/../x', 'https://h/b'])
      expect(() => loadConfig({ ...S3, COPIES_TO })).toThrow('COPIES_TO must be s3://bucket/prefix')
  })

  test('are the same address where both are set', () => {
    const both = { ...S3, COPIES_TO: 's3://bucket/shop', STANDBY: 's3://bucket/shop/' }
    expect(loadConfig(both).STANDBY).toBe('s3://bucket/shop/')
    expect(() => loadConfig({ ...both, STANDBY: 's3://bucket/other' })).toThrow('must be the same address')
  })

  test('one of them is needed to wait for copies', () => {
    expect(() => loadConfig({ SYNC_COPIES: '1' })).toThrow('SYNC_COPIES needs COPIES_TO or STANDBY')
  })
})

describe('BACKUP_TO', () => {
  const S3 = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }

  test('is a bucket with a key, or a folder', () => {
    for (const BACKUP_TO of ['s3://bucket', 's3://my.bucket-1/', 's3://bucket/a/b_c.d', '/mnt/nas', 'copies'])
      expect(loadConfig({ ...S3, BACKUP_TO }).BACKUP_TO).toBe(BACKUP_TO)
    expect(() => loadConfig({ BACKUP_TO: 's3://bucket' })).toThrow(
      /S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/,
    )
  })

  test('is nothing else', () => {
    for (const BACKUP_TO of [
      's3://',
      's3://B/x',
      's3://bucket/../x',
      's3://bucket/a b',
      's3://u:p@h/x',
      'https://h/b',
      'sftp://h/b',
    ])
      expect(() => loadConfig({ ...S3, BACKUP_TO })).toThrow(
        'BACKUP_TO must be s3://bucket/prefix or the path',
      )
  })
})
