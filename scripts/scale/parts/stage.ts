import { type Front, hostOf, openFront } from './front.ts'
import type { Door } from './load.ts'
import { createNode, type ScaleNode } from './node.ts'
import { makeFolder, type Program } from './program.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { openShop, type Shop, seedEmpty, seedShop } from './shop.ts'

/** Two nodes with the proxy in front of them; the store lies on the first. */
export interface Stage extends AsyncDisposable {
  root: string
  nodes: readonly [ScaleNode, ScaleNode]
  front: Front
  receiver: Receiver
  shop: Shop
  /** The way of the world to the store. */
  door: Door
  /** The doors of the nodes themselves. */
  doors: readonly [Door, Door]
}

export async function openStage(
  name: string,
  { program, products }: { program: Program; products: number },
): Promise<Stage> {
  const root = makeFolder(name)
  const nodes = [
    await createNode(root, 'node-a', { program }),
    await createNode(root, 'node-b', { program }),
  ] as const
  const [a, b] = nodes
  const shop = await seedShop(a, products)
  await seedEmpty(b)
  await Promise.all(nodes.map((node) => node.start()))
  const receiver = openReceiver()
  await openShop(shop, a, receiver.url)
  const front = await openFront(root, nodes, a)
  await front.point(shop.slug, a.name)
  const doorOf = ({ address, name: node }: ScaleNode): Door => ({ address, node })
  const names = new Map(nodes.map((node) => [node.address, node.name]))
  return {
    ...{ root, nodes, front, receiver, shop },
    door: { address: front.address, host: hostOf(shop.slug), names },
    doors: [doorOf(a), doorOf(b)],
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]()
      await Promise.all(nodes.map((node) => node.stop()))
      await receiver[Symbol.asyncDispose]()
    },
  }
}
