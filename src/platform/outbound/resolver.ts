import { getServers, setServers } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { dns } from 'bun'

/** Returns every A and AAAA address of a host name, in any order; rejects if it has none. */
export type Lookup = (host: string) => Promise<string[]>

const RESOLV_CONF = '/etc/resolv.conf'

/**
 * Asks the hosts file and the name servers of the operating system.
 *
 * It needs no thread. `getaddrinfo` holds one until a name server answers, a machine with two cores has two, and they also
 * read files and compute hashes. A few names whose servers never answer would stop all of that, for every store.
 */
export const lookupHost: Lookup = async (host) => {
  noteServers()
  const answers = await dns.lookup(host, { backend: 'c-ares' })
  return answers.map(({ address }) => address)
}

let changedAt: number | undefined

/** The resolver reads its servers only once, but a machine that moves to another network gets new ones. */
function noteServers(): void {
  try {
    const { mtimeMs } = statSync(RESOLV_CONF)
    const isNew = changedAt !== undefined && changedAt !== mtimeMs
    changedAt = mtimeMs
    if (!isNew) return
    const servers = parseServers(readFileSync(RESOLV_CONF, 'utf8'))
    if (servers.length > 0 && servers.join() !== getServers().join()) setServers(servers)
  } catch {
    // Without the file, the resolver keeps its servers.
  }
}

/** Reads the name servers from a resolv.conf. */
export const parseServers = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(([, server]) => String(server))
