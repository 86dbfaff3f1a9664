import { isInside, parseCidrs } from '../../../core/networks.ts'
import { hashSecret, isSecret } from '../../../core/secrets.ts'

export interface MetricsAccessDeps {
  /** METRICS_TOKEN; empty for none. */
  token: string
  /** Finds the address of a request's client. */
  findAddress(request: Request): string
}

const LOOPBACK = parseCidrs('127.0.0.0/8,::1/128')

/** Names of this machine for itself. Any other name may be a page's, whose owner has it resolve to this machine. */
const OWN_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/** Headers of proxies, which connect from this machine on behalf of others. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']
const FORWARDED_PREFIX = 'x-forwarded-'

const BEARER = /^Bearer +(\S+) *$/i

/** Creates the check of who may read the metrics: programs on this machine, and whoever has the token. */
export function createMetricsAccess({ token, findAddress }: MetricsAccessDeps) {
  const hash = token === '' ? undefined : hashSecret(token)

  function isOwnMachine(request: Request): boolean {
    const { headers } = request
    if (FORWARDED.some((name) => headers.has(name))) return false
    for (const name of headers.keys()) if (name.startsWith(FORWARDED_PREFIX)) return false
    return OWN_NAME.test(headers.get('host') ?? '') && isInside(findAddress(request), LOOPBACK)
  }

  return (request: Request): boolean => {
    const given = BEARER.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
    return isSecret(given, hash) || isOwnMachine(request)
  }
}
