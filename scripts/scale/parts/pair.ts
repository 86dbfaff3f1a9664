import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Bucket, openBucket } from './bucket.ts'
import { type Front, openPairFront } from './front.ts'
import type { Write } from './judge.ts'
import { type Link, openLink } from './link.ts'
import type { Door } from './load.ts'
import { createNode, type ScaleNode } from './node.ts'
import { makeFolder, type Program } from './program.ts'
import { openShop, type Shop, seedShop } from './shop.ts'

/** An owner with its standby, the object store, a link from each to it, and the proxy in front of both. */
export interface Pair extends AsyncDisposable {
  root: string
  owner: ScaleNode
  standby: ScaleNode
  bucket: Bucket
  /** From the owner and from the standby to the object store. */
  links: readonly [Link, Link]
  front: Front
  shop: Shop
  door: Door
  doors: readonly [Door, Door]
  /** Starts a node in the part that it had at first. */
  startOwner(): Promise<void>
  launchStandby(): void
}

export interface PairOptions {
  program: Program
  products: number
  isSync: boolean
  /** More settings of each, such as those of another clock. */
  ownerSettings?: Readonly<Record<string, string>>
  standbySettings?: Readonly<Record<string, string>>
}

export async function openPair(name: string, options: PairOptions): Promise<Pair> {
  const { program, products, isSync } = options
  const root = makeFolder(name)
  const bucket = await openBucket(root)
  const links = [openLink(bucket.address), openLink(bucket.address)] as const
  const own = {
    COPIES_TO: bucket.url,
    ...bucket.settingsAt(links[0].address),
    ...(isSync && { SYNC_COPIES: '1' }),
  }
  const owner = await createNode(root, 'owner', { program, settings: { ...own, ...options.ownerSettings } })
  const waiting = {
    STANDBY: bucket.url,
    ...bucket.settingsAt(links[1].address),
    ...(isSync && { SYNC_COPIES: '1' }),
  }
  const standby = await createNode(root, 'standby', {
    program,
    settings: { ...waiting, ...options.standbySettings },
  })
  const shop = await seedShop(owner, products)
  await owner.start()
  await openShop(shop, owner)
  giveSecrets(owner, standby)
  standby.launch()
  const front = await openPairFront(root, [owner, standby])
  const doorOf = ({ address, name: node }: ScaleNode): Door => ({ address, node })
  return {
    ...{ root, owner, standby, bucket, links, front, shop },
    door: { address: front.address },
    doors: [doorOf(owner), doorOf(standby)],
    startOwner: () => owner.start(),
    launchStandby: () => standby.launch(),
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]()
      await Promise.all([owner.kill(), standby.kill()])
      for (const link of links) link[Symbol.dispose]()
      await bucket[Symbol.asyncDispose]()
    },
  }
}

/** What `lookalike node invite` does between machines: here both folders are ours. */
function giveSecrets(owner: ScaleNode, standby: ScaleNode): void {
  cpSync(join(owner.dataDir, 'secrets'), join(standby.dataDir, 'secrets'), { recursive: true })
}

/** Whether a node has set a database aside that it must not serve. */
export const hasSetAside = ({ dataDir }: ScaleNode): boolean =>
  existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('set-aside-'))

/** Waits until the node acknowledges writes by its own door. @returns whether it did within the time. */
export async function untilAcknowledges(
  writes: readonly Write[],
  node: string,
  withinMs: number,
): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!writes.some((write) => write.node === node)) {
    if (performance.now() > deadline) return false
    await Bun.sleep(100)
  }
  return true
}

/** The copy of an owner that lags no more than this is what the guide promises. */
const LAG_S = 1

/** Waits for the first whole copy, which Litestream makes at the start: until it has arrived, everything that is written may be lost. */
export async function untilCopied(pair: Pair, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  const folder = join(pair.root, 'objects')
  while (!hasFile(folder, /snapshot|wal|generations/) || (await readLag(pair.owner)) > LAG_S) {
    if (performance.now() > deadline) throw new Error(`No copy has arrived:\n${pair.owner.log()}`)
    await Bun.sleep(250)
  }
}

/** Age of an owner's copy in seconds, as its metrics say it. */
async function readLag({ address }: ScaleNode): Promise<number> {
  const text = await fetch(`${address}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  const [, lag = 'Infinity'] = /^\w*copies_lag_seconds ([\w.+]+)$/m.exec(text) ?? []
  return lag === '+Inf' ? Number.POSITIVE_INFINITY : Number(lag)
}

function hasFile(folder: string, pattern: RegExp): boolean {
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((name) => pattern.test(String(name)))
  )
}

/** Waits until a standby is at its post: it answers, and says that it is not ready. */
export async function untilWaiting({ address, name, log }: ScaleNode, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const answer = await fetch(`${address}/health/ready`).catch(() => undefined)
    if (answer) return
    if (performance.now() > deadline) throw new Error(`${name} does not answer:\n${log()}`)
    await Bun.sleep(100)
  }
}
