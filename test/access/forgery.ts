import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'

/** The parts of a good token, to be put together wrongly. */
export interface Parts {
  token: string
  header: string
  payload: string
  signature: string
  claims: Record<string, unknown>
}

export function partsOf(token: string): Parts {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return { token, header, payload, signature, claims }
}

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

type Bytes = string | Uint8Array

const mac = (input: string, key: Bytes, hash = 'sha256') =>
  createHmac(hash, key).update(input).digest('base64url')

/** A JWS with any header (a text is taken as it is) and payload, signed by HMAC with any key. */
export function jws(header: unknown, payload: unknown, key: Bytes, hash = 'sha256'): string {
  const input = `${encoded(header)}.${encoded(payload)}`
  return `${input}.${mac(input, key, hash)}`
}

const HS256 = { alg: 'HS256', typ: 'JWT' }
const ATTACKER = 'an attacker’s own key of more than thirty-two bytes'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Every token by its name that nobody but us could have made, made by somebody else. */
export function forgedTokens(good: Parts, secret: string): Record<string, string> {
  const { token, header, payload, signature, claims } = good
  const unsigned = (head: unknown, tail = '') => `${encoded(head)}.${payload}.${tail}`
  const withClaims = (change: object) => `${header}.${encoded({ ...claims, ...change })}.${signature}`
  const asymmetric = (alg: string, digest: string | null, key: Parameters<typeof sign>[2]) => {
    const input = `${encoded({ alg, typ: 'JWT' })}.${payload}`
    return `${input}.${sign(digest, Buffer.from(input), key).toString('base64url')}`
  }
  const byAttacker = (more: object) => jws({ ...HS256, ...more }, claims, ATTACKER)
  const ownJwk = { kty: 'oct', k: Buffer.from(ATTACKER).toString('base64url'), alg: 'HS256' }

  return {
    ...named('alg', ['none', 'None', 'NONE', 'nOnE', 'nonE', ' none', 'none ', 'none\0', '', 'null'], (alg) =>
      unsigned({ alg, typ: 'JWT' }),
    ),
    ...named('signed, but alg', ['none', 'NONE', 'None'], (alg) => unsigned({ alg, typ: 'JWT' }, signature)),
    'no alg': unsigned({ typ: 'JWT' }),
    'no alg, but signed': unsigned({ typ: 'JWT' }, signature),
    'alg null': unsigned({ alg: null, typ: 'JWT' }),
    'alg a list': unsigned({ alg: ['HS256', 'none'], typ: 'JWT' }, signature),
    'alg twice, the second none': unsigned('{"alg":"HS256","typ":"JWT","alg":"none"}'),

    ...named(
      'HS256 with the key',
      ['', 'secret', 'null', 'undefined', `${secret} `, secret.slice(1), secret.toUpperCase()],
      (key) => jws(HS256, claims, key),
    ),
    'HS256 with the hash of our key': jws(HS256, claims, createHash('sha256').update(secret).digest()),
    'HS256 with an RSA public key': jws(HS256, claims, publicPem),
    'HS256 with the signature as key': jws(HS256, claims, signature),
    'HS384 with our key': jws({ ...HS256, alg: 'HS384' }, claims, secret, 'sha384'),
    'HS512 with our key': jws({ ...HS256, alg: 'HS512' }, claims, secret, 'sha512'),
    'HS256 with the signature of HS512': jws(HS256, claims, secret, 'sha512'),
    'HS256 with the signature of HS1': jws(HS256, claims, secret, 'sha1'),
    'hs256 in lower case with our key': jws({ ...HS256, alg: 'hs256' }, claims, secret),
    'HS256 cut to 128 bits': `${header}.${payload}.${signature.slice(0, 22)}`,
    'RS256 with our key': jws({ ...HS256, alg: 'RS256' }, claims, secret),
    'RS256 with an RSA key': asymmetric('RS256', 'sha256', rsa.privateKey),
    'HS256 with an RSA signature': asymmetric('HS256', 'sha256', rsa.privateKey),
    'ES256 with an EC key': asymmetric('ES256', 'sha256', ec.privateKey),
    'ES256 with zeros (CVE-2022-21449)': unsigned(
      { alg: 'ES256', typ: 'JWT' },
      Buffer.alloc(64).toString('base64url'),
    ),
    'EdDSA with an Ed25519 key': asymmetric('EdDSA', null, ed.privateKey),

    ...named(
      'changed claim',
      [
        'sub',
        'user_id',
        'jti',
        'sid',
        'user_type',
        'memberships',
        'is_super_admin',
        'exp',
        'amr',
        'generation',
      ],
      (name) => withClaims({ [name]: name === 'exp' ? 9_999_999_999 : 'changed' }),
    ),
    'a super-admin by claim': withClaims({ is_super_admin: true }),
    'claims of an array': `${header}.${encoded([claims])}.${signature}`,
    'a claim twice': `${header}.${encoded(`{"sub":"nobody",${JSON.stringify(claims).slice(1)}`)}.${signature}`,

    'jku of the attacker': byAttacker({ jku: 'https://attacker.test/keys.json' }),
    'x5u of the attacker': byAttacker({ x5u: 'https://attacker.test/cert.pem' }),
    'x5c of the attacker': byAttacker({ x5c: [Buffer.from('certificate').toString('base64')] }),
    'jwk of the attacker': byAttacker({ jwk: ownJwk }),
    'kid of an empty file': jws({ ...HS256, kid: '../../../../dev/null' }, claims, ''),
    'kid of SQL': jws({ ...HS256, kid: "x' UNION SELECT 'a' --" }, claims, 'a'),
    'kid of a command': jws({ ...HS256, kid: '|echo a' }, claims, 'a'),
    'crit that nobody knows, with our key': jws({ ...HS256, crit: ['own'], own: 1 }, claims, secret),
    'crit that is empty, with our key': jws({ ...HS256, crit: [] }, claims, secret),

    ...named('exp', ['"9999999999"', 'null', 'true', '[9999999999]', '{}', '""', '1e400'], (exp) =>
      jws(HS256, JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', `"exp":${exp}`), secret),
    ),
    'no exp': jws(HS256, { ...claims, exp: undefined }, secret),
    ...named('sub', ['null', '1', '{}', '["x"]', 'true'], (sub) =>
      jws(HS256, JSON.stringify({ ...claims, sub: 0 }).replace('"sub":0', `"sub":${sub}`), secret),
    ),
    'no jti': jws(HS256, { ...claims, jti: undefined }, secret),
    'jti an object': jws(HS256, { ...claims, jti: {} }, secret),
    'an unknown kind of user': jws(HS256, { ...claims, user_type: 'admin' }, secret),
    'typ of another kind of token': jws({ ...HS256, typ: 'at+jwt' }, claims, secret),
    'typ JWE': jws({ ...HS256, typ: 'JWE' }, claims, secret),
    'no typ': jws({ alg: 'HS256' }, claims, secret),
    'a token inside a token': jws({ ...HS256, cty: 'JWT' }, token, secret),
    'a token as a text': jws(HS256, JSON.stringify(token), secret),
    'claims of null': jws(HS256, 'null', secret),
    'claims that are no JSON': jws(HS256, 'claims', secret),
    'claims that are no UTF-8': `${header}.${Buffer.from([0xff, 0xfe]).toString('base64url')}.${signature}`,
    'a header that is no JSON': jws('header', claims, secret),
    'a header of null': jws('null', claims, secret),

    'the header alone': header,
    'the header and a dot': `${header}.`,
    'no signature': `${header}.${payload}`,
    'an empty signature': `${header}.${payload}.`,
    'no header': `.${payload}.${signature}`,
    'no payload': `${header}..${signature}`,
    'dots alone': '..',
    'a fourth part': `${token}.${signature}`,
    'five parts of nothing': '....',
    'five parts, like a JWE': `${header}.${payload}.${signature}.${payload}.${signature}`,
    'the parts in another order': `${payload}.${header}.${signature}`,
    ...named('cut by', [1, 2, 10, 42], (count) => token.slice(0, -count)),
    'cut at the front': token.slice(1),
    'a payload cut by one': `${header}.${payload.slice(0, -1)}.${signature}`,
    'another signature': `${header}.${payload}.${mac('x', secret)}`,
    'a character changed in the middle': `${header}.${payload}.${flipped(signature)}`,

    'a megabyte of one letter': 'x'.repeat(1 << 20),
    'a megabyte behind a good token': `${token}${'x'.repeat(1 << 20)}`,
    'a megabyte of claims': jws(HS256, { ...claims, more: 'x'.repeat(1 << 20) }, ATTACKER),
    'a megabyte of dots': '.'.repeat(1 << 20),

    'quotes around it': `"${token}"`,
    'percent-encoded dots': token.replaceAll('.', '%2E'),
    'a null byte in words': `${token}%00`,
    'letters outside ASCII': `${token}ÿ`,
    'padding in the middle': `${header}=.${payload}==.${signature}`,
  }
}

function named<Value extends string | number>(
  what: string,
  values: readonly Value[],
  make: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(values.map((value) => [`${what} ${JSON.stringify(value)}`, make(value)]))
}

/** The text with another letter in its middle. */
function flipped(text: string): string {
  const middle = text.length >> 1
  return `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`
}
