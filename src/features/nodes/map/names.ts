import { cutEndSlashes } from '../../../core/url-paths.ts'

/** What a line of a proxy's map may hold: nothing that ends a word, quotes, or begins a regular expression. */
const SAFE = {
  slug: /^[a-z0-9][a-z0-9-]*$/,
  storeId: /^[0-9a-f-]{36}$/,
  widgetKey: /^pk_live_[A-Za-z0-9]{8,64}$/,
}

export const isSafe = (kind: keyof typeof SAFE, value: string): boolean => SAFE[kind].test(value)

/** A domain under which each store has a name, as in `search.example`. */
export const DOMAIN_PATTERN =
  '^(?=.{1,200}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$'

/** An address of a node, as `BASE_URL` has it. */
export const NODE_URL_PATTERN = '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$'

/**
 * What proxies call a node: the host of its address, a port behind `_`, as in `node-a.search.example` or `10.0.0.5_8080`. It is
 * the name of a backend in HAProxy and of an upstream in nginx.
 */
export function nameNode(url: string): string {
  const { host, pathname } = new URL(url)
  return (host + cutEndSlashes(pathname)).toLowerCase().replace(/[^a-z0-9.-]/g, '_')
}

/** The name by which a node itself is reached, without a port. */
export const hostOf = (url: string): string => new URL(url).hostname.toLowerCase()
