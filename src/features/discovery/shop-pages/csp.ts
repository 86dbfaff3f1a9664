/** What the widget needs of a page's Content-Security-Policy: the three directives that the guide tells shops to add to. */
const NEEDS = [
  { directive: 'script-src', fallbacks: ['script-src-elem', 'script-src', 'default-src'] },
  { directive: 'connect-src', fallbacks: ['connect-src', 'default-src'] },
  { directive: 'img-src', fallbacks: ['img-src', 'default-src'] },
] as const

export type BlockingDirective = (typeof NEEDS)[number]['directive'] | 'sandbox'

/** All policies together are read to here, because each source of a list takes a microsecond or so. */
const CHARS_MAX = 24_000
const POLICIES_MAX = 20

export interface Embedding {
  /** Of the page. */
  page: URL
  /** The script of the widget; its files, calls and pictures have the same origin. */
  script: URL
  /** Of the tag of the script. */
  nonce: string | undefined
}

/**
 * Finds the directives that keep the widget from working on a page.
 *
 * @param policies headers and `<meta>` elements; each must allow the widget, and a header may hold several.
 */
export function listBlocking(policies: readonly string[], embedding: Embedding): BlockingDirective[] {
  const parsed = policies.join(',').slice(0, CHARS_MAX).split(',').slice(0, POLICIES_MAX).map(parsePolicy)
  const needed = NEEDS.filter(({ directive, fallbacks }) =>
    parsed.some((policy) => {
      const name = fallbacks.find((fallback) => policy.has(fallback))
      return name !== undefined && !allows(policy.get(name) ?? [], directive === 'script-src', embedding)
    }),
  )
  const isBoxed = parsed.some((policy) => policy.get('sandbox')?.includes('allow-scripts') === false)
  return [...needed.map(({ directive }) => directive), ...(isBoxed ? (['sandbox'] as const) : [])]
}

/** Of a directive that comes twice the first counts (CSP 3 §2.2.1). */
function parsePolicy(text: string): Map<string, string[]> {
  const policy = new Map<string, string[]>()
  for (const part of text.split(';')) {
    const [name = '', ...values] = part.trim().split(/\s+/)
    const key = name.toLowerCase()
    if (key !== '' && !policy.has(key)) policy.set(key, values)
  }
  return policy
}

function allows(sources: readonly string[], isScript: boolean, { page, script, nonce }: Embedding): boolean {
  if (isScript) {
    // What a script with the right nonce imports has its nonce, too.
    if (nonce && sources.includes(`'nonce-${nonce}'`)) return true
    if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false
  }
  return sources.some((source) => matches(source, script, page))
}

const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^/:*]+)(?::(\d+|\*))?(\/[^?#]*)?$/i

/** Whether a source of a list stands for the address of the service (CSP 3 §6.7.2.8). */
function matches(source: string, target: URL, page: URL): boolean {
  if (source === '*') return /^https?:$/.test(target.protocol)
  if (/^'self'$/i.test(source))
    return target.host === page.host && isUpgradeOf(target.protocol, page.protocol)
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return isUpgradeOf(target.protocol, source.toLowerCase())
  const [, scheme, host = '', port, path] = HOST_SOURCE.exec(source) ?? []
  if (host === '') return false
  return (
    isUpgradeOf(target.protocol, scheme ? `${scheme.toLowerCase()}:` : page.protocol) &&
    isHost(target.hostname, host.toLowerCase()) &&
    isPort(target, port) &&
    // A whole path names one file; the widget has several.
    (path === undefined || (path.endsWith('/') && target.pathname.startsWith(path)))
  )
}

/** Whether a policy that names one scheme allows another: https is taken for http. */
const isUpgradeOf = (protocol: string, named: string): boolean =>
  protocol === named || (named === 'http:' && protocol === 'https:')

const isHost = (host: string, pattern: string): boolean => {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern
}

function isPort({ port, protocol }: URL, named: string | undefined): boolean {
  if (named === '*') return true
  const usual = protocol === 'https:' ? '443' : '80'
  if (named === undefined) return port === ''
  return named === (port || usual) || (named === '80' && (port || usual) === '443')
}
