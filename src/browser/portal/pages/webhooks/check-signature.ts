/** What was pasted into the checker. */
export interface Pasted {
  body: string
  /** Lines such as `X-Webhook-Signature: sha256=…`, or the value alone. */
  headers: string
  secret: string
}

export type Verdict =
  | { isValid: true; header: string }
  | {
      isValid: false
      /**
       * `no_signature`: the headers hold none. `no_id`: the standard header is there, but not what it signs.
       * `white_space`, `rewritten`: the body is nearly the one that was signed. `other`: another secret or another body.
       */
      reason: 'no_signature' | 'no_id' | 'white_space' | 'rewritten' | 'other'
    }

/** The headers that hold the digest of the body alone. */
const PLAIN = ['x-webhook-signature', 'x-webhook-signature-next', 'x-webhook-signature-previous']
const STANDARD = 'webhook-signature'
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** Reads pasted headers by their names in small letters. A value alone is told by its form. */
function readHeaders(pasted: string): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of pasted.split(/\r?\n/)) {
    const text = line.trim().replace(/^["']|["'],?$/g, '')
    if (/^sha256=/.test(text)) headers.set('x-webhook-signature', text)
    else if (/^v1,/.test(text)) headers.set(STANDARD, text)
    const [, name, value] = /^["']?([\w-]+)["']?\s*:\s*["']?(.*)$/.exec(text) ?? []
    if (name && value) headers.set(name.toLowerCase(), value.trim())
  }
  return headers
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** The keys that a secret may stand for: its letters, and the bytes that the standard form holds. Without letters there is none. */
function listKeys(secret: string): Uint8Array<ArrayBuffer>[] {
  if (secret === '') return []
  const [, packed] = STANDARD_SECRET.exec(secret) ?? []
  if (packed === undefined || packed.length % 4 !== 0) return [bytesOf(secret)]
  return [bytesOf(secret), Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))]
}

async function sign(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(text)))
}

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Finds the header whose signature fits the body. */
async function findHeader(
  body: string,
  headers: Map<string, string>,
  secret: string,
): Promise<string | null> {
  const id = headers.get('webhook-id')
  const seconds = headers.get('webhook-timestamp')
  const standard = headers.get(STANDARD)?.split(/\s+/) ?? []
  for (const key of listKeys(secret)) {
    const plain = `sha256=${toHex(await sign(key, body))}`
    const fitting = PLAIN.find((name) => headers.get(name)?.toLowerCase().split(/,\s*/).includes(plain))
    if (fitting) return fitting
    if (id && seconds && standard.includes(`v1,${toBase64(await sign(key, `${id}.${seconds}.${body}`))}`))
      return STANDARD
  }
  return null
}

/** The body as a program writes it that has parsed it; null for one that is no JSON. */
function writeAnew(body: string): string | null {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return null
  }
}

/** Checks the signature of a message, here in the browser: nothing is sent. */
export async function checkSignature({ body, headers: pasted, secret }: Pasted): Promise<Verdict> {
  const headers = readHeaders(pasted)
  const hasPlain = PLAIN.some((name) => headers.has(name))
  if (!hasPlain && !headers.has(STANDARD)) return { isValid: false, reason: 'no_signature' }
  if (!hasPlain && !(headers.has('webhook-id') && headers.has('webhook-timestamp')))
    return { isValid: false, reason: 'no_id' }
  const known = secret.trim()
  const header = await findHeader(body, headers, known)
  if (header) return { isValid: true, header }
  if (await findHeader(body.trim(), headers, known)) return { isValid: false, reason: 'white_space' }
  const anew = writeAnew(body)
  if (anew !== null && (await findHeader(anew, headers, known)))
    return { isValid: false, reason: 'rewritten' }
  return { isValid: false, reason: 'other' }
}
