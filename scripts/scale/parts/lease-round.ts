import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bucket } from './bucket.ts'
import { type Ack, findFaults } from './lease-history.ts'
import { type Link, openLink } from './link.ts'
import { createRandom } from './random.ts'

export interface RoundOutcome {
  seed: number
  faults: string[]
  acks: number
  changes: number
  /** From the end of the disturbances until somebody acknowledged, in ms. */
  recoveredMs: number
  /** What was done to whom, for a schedule that is looked at. */
  steps: string[]
}

const DISTURBED_MS = 60_000
const CALM_MS = 33_000
const FIRST_MS = 20_000
const LOOK_MS = 200
const SUPERVISOR_MS = 1_000
const NODE = join(import.meta.dir, 'lease-node.ts')

/** Runs one schedule with processes: it pauses them, kills them, cuts them off, copies their folders, and reads what they acknowledged. */
export async function runRound(seed: number, bucket: Bucket, root: string): Promise<RoundOutcome> {
  const { below } = createRandom(seed)
  const between = (least: number, most: number): number => least + below(most - least)
  const folder = join(root, `round-${seed}`)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'acknowledged.ndjson')
  writeFileSync(file, '')
  const address = `${bucket.url}/round-${seed}`
  const began = Date.now()
  const steps: string[] = []
  const timers = new Set<Timer>()
  let isOver = false
  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  function makeNode(name: string, kind: 'first' | 'standby') {
    const dataDir = join(folder, name)
    const link: Link = openLink(bucket.address)
    let child: Bun.Subprocess | undefined
    let [starts, isDown, isFrozen] = [0, false, false]

    function start(): void {
      isDown = false
      if (child || isOver) return
      const mine = Bun.spawn([process.execPath, NODE, dataDir, address, file, `${name}#${++starts}`, kind], {
        env: { ...process.env, ...bucket.settingsAt(link.address) },
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      child = mine
      void mine.exited.then(() => {
        if (child !== mine) return
        child = undefined
        isFrozen = false
        if (!isDown) later(SUPERVISOR_MS, start)
      })
    }

    async function kill(): Promise<void> {
      isDown = true
      const mine = child
      mine?.kill('SIGKILL')
      await mine?.exited
      child = undefined
      isFrozen = false
    }

    const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
      if (!child) return
      child.kill(name)
      isFrozen = name === 'SIGSTOP'
    }
    const thaw = (): void => {
      if (isFrozen) signal('SIGCONT')
    }
    return { name, dataDir, link, start, kill, freeze: () => signal('SIGSTOP'), thaw }
  }
  type Node = ReturnType<typeof makeNode>

  function makeFolder({ dataDir }: Node): void {
    mkdirSync(join(dataDir, 'secrets'), { recursive: true })
    // The same install on all nodes.
    writeFileSync(join(dataDir, 'secrets', 'data'), `secret of the install of round ${seed}`)
  }

  const nodes = [makeNode('one', 'first'), makeNode('two', 'standby')]
  if (below(2) === 0) nodes.push(makeNode('three', below(2) === 0 ? 'first' : 'standby'))
  for (const node of nodes) makeFolder(node)
  const [first] = nodes as [Node]
  let hasCopy = false

  const mend = (node: Node, ms: number): void => later(ms, node.link.mend)
  function pause(node: Node, ms: number): void {
    node.freeze()
    later(ms, node.thaw)
  }
  function cutOff(node: Node, ms: number): void {
    node.link.cut()
    mend(node, ms)
  }
  function copyFolder(): void {
    if (hasCopy) return
    hasCopy = true
    const copy = makeNode('copy', 'first')
    cpSync(first.dataDir, copy.dataDir, { recursive: true })
    nodes.push(copy)
    copy.start()
  }
  const disturbances: [what: string, disturb: (node: Node, ms: number) => void][] = [
    ['is paused', pause],
    ['is paused', pause],
    ['is killed', (node, ms) => void node.kill().then(() => later(ms, node.start))],
    ['is cut off', cutOff],
    [
      'gets no answers',
      (node, ms) => {
        node.link.mute()
        mend(node, ms)
      },
    ],
    [
      'and all others are cut off',
      (_, ms) => {
        for (const each of nodes) cutOff(each, ms)
      },
    ],
    ['sees the folder of the first copied, and started elsewhere', copyFolder],
  ]

  const read = (): Ack[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Ack)

  first.start()
  for (const end = Date.now() + FIRST_MS; Date.now() < end && read().length === 0; ) await Bun.sleep(LOOK_MS)
  for (const node of nodes) node.start()
  const calmAt = Date.now() + DISTURBED_MS
  while (Date.now() < calmAt) {
    await Bun.sleep(between(500, 9_000))
    const node = nodes[below(nodes.length)] as Node
    const [what, disturb] = disturbances[below(disturbances.length)] as (typeof disturbances)[number]
    const ms = below(2) === 0 ? between(500, 9_000) : between(14_000, 30_000)
    steps.push(`${Date.now() - began} ms: ${node.name} ${what} (${ms} ms)`)
    disturb(node, ms)
  }
  for (const timer of timers) clearTimeout(timer)
  timers.clear()
  for (const { link, thaw, start } of nodes) {
    link.mend()
    thaw()
    start()
  }
  const healedAt = Date.now()
  const isBack = (): boolean => read().some(({ at }) => at > healedAt)
  while (Date.now() < healedAt + CALM_MS && !isBack()) await Bun.sleep(LOOK_MS)
  isOver = true
  await Promise.all(nodes.map(({ kill }) => kill()))
  for (const { link } of nodes) link[Symbol.dispose]()
  const acks = read()
  const recoveredMs = (acks.find(({ at }) => at > healedAt)?.at ?? Number.POSITIVE_INFINITY) - healedAt
  return { seed, ...findFaults(acks), acks: acks.length, recoveredMs, steps }
}
