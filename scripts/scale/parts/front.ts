import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { ScaleNode } from './node.ts'
import { findPorts } from './program.ts'

const REFRESH_MS = 500

/** HAProxy in front of the nodes: it sends a store's host name to the node that the map names. */
export interface Front extends AsyncDisposable {
  address: string
  /** The host of a store, which its requests name. */
  hostOf(slug: string): string
  /** Sends a store to another node. */
  point(slug: string, node: string): Promise<void>
  /** Asks the nodes for their map now and then, as an operator's timer does, until it is stopped. */
  follow(): void
}

export const hostOf = (slug: string): string => `${slug}.search.test`

/** A proxy in front of an owner and its standby: both have the same store, and the one that is ready gets the requests. */
export async function openPairFront(root: string, nodes: readonly ScaleNode[]): Promise<Front> {
  const servers = nodes.map(({ name, address }) => `  server ${name} ${new URL(address).host}`)
  const { address, stop } = await startProxy(
    root,
    (port) => `frontend front
  bind 127.0.0.1:${port}
  default_backend pair
backend pair
  option httpchk GET /health/ready
  option redispatch
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
  http-response set-header X-Drill-Node %s
${servers.join('\n')}
`,
  )
  return { ...{ address, hostOf }, point: async () => {}, follow: () => {}, [Symbol.asyncDispose]: stop }
}

/** @param first the node that serves what the map does not know. */
export async function openFront(root: string, nodes: readonly ScaleNode[], first: ScaleNode): Promise<Front> {
  const map = join(root, 'stores.map')
  writeFileSync(map, '')
  const { address, socket, stop } = await startProxy(root, (port) =>
    composeConfig({ port, map, nodes, first: first.name }),
  )
  const known = new Map<string, string>()
  const point = async (slug: string, node: string) => {
    if (known.get(slug) === node) return
    const verb = known.has(slug) ? 'set' : 'add'
    await command(socket, `${verb} map ${map} ${hostOf(slug)} ${node}`)
    known.set(slug, node)
  }
  const told = new AbortController()
  let following: Promise<void> | undefined
  return {
    ...{ address, hostOf, point },
    follow() {
      following ??= followMaps(nodes, point, told.signal)
    },
    async [Symbol.asyncDispose]() {
      told.abort()
      await following
      await stop()
    },
  }
}

/** Starts HAProxy with these parts and waits until it answers. */
async function startProxy(root: string, compose: (port: number) => string) {
  if (!Bun.which('haproxy')) throw new Error('The drills need haproxy: apt-get install haproxy')
  const [port = 0] = await findPorts(1)
  const socket = join(root, 'haproxy.sock')
  const config = join(root, 'haproxy.cfg')
  rmSync(socket, { force: true })
  writeFileSync(config, composeHead(socket) + compose(port))
  const child = Bun.spawn(['haproxy', '-db', '-f', config], {
    ...({ stdin: 'ignore', stdout: 'ignore', stderr: Bun.file(join(root, 'haproxy.log')) } as const),
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const address = `http://127.0.0.1:${port}`
  const isAnswered = () =>
    fetch(address).then(
      () => true,
      () => false,
    )
  while (!(await isAnswered())) {
    if (child.exitCode !== null)
      throw new Error(`haproxy ended with ${child.exitCode}; see ${root}/haproxy.log`)
    await Bun.sleep(20)
  }
  return {
    ...{ address, socket },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
      process.off('exit', kill)
    },
  }
}

const composeHead = (socket: string): string => `global
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout http-request 30s
`

interface FrontFiles {
  port: number
  map: string
  nodes: readonly ScaleNode[]
  first: string
}

function composeConfig({ port, map, nodes, first }: FrontFiles): string {
  const backends = nodes.map(
    ({ name, address }) => `backend ${name}
  http-response set-header X-Drill-Node ${name}
  server ${name} ${new URL(address).host} check inter 2s fall 2 rise 1
  option httpchk GET /health/ready
  retry-on conn-failure empty-response
  retries 3
`,
  )
  return `frontend front
  bind 127.0.0.1:${port}
  use_backend %[req.hdr(host),field(1,:),lower,map(${map},${first})]
${backends.join('')}`
}

/** Says a word to HAProxy's own socket. */
const command = (path: string, words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path, () => socket.end(`${words}\n`))
    socket.on('data', (chunk) => (answer += chunk))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })

/** What `GET /v1/admin/map` says of the stores of a node. */
interface NodeMap {
  stores?: { slug: string; state?: string }[]
}

async function followMaps(
  nodes: readonly ScaleNode[],
  point: (slug: string, node: string) => Promise<void>,
  told: AbortSignal,
): Promise<void> {
  while (!told.aborted) {
    for (const node of nodes) {
      try {
        const { status, body } = await node.call('GET', '/v1/admin/map')
        if (status !== 200) continue
        for (const { slug, state } of (body as NodeMap).stores ?? [])
          if (state !== 'moved' && !slug.startsWith('operations')) await point(slug, node.name)
      } catch {
        // It is down, or not ready: what the map says of its stores stays.
      }
    }
    await Bun.sleep(REFRESH_MS)
  }
}
