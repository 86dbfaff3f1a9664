import { constants } from 'node:os'
import type { Subprocess } from 'bun'
import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { giveWay } from '../embedder/child/give-way.ts'
import { readProcessState } from '../embedder/process-state.ts'

/** A line that a child process writes. */
type Line<Progress, Made> = { progress: Progress } | { made: Made } | { fault: string }

interface ChildOptions<Progress> {
  env: Record<string, string>
  /** What the child reads, such as secrets: the command line is for everyone to see. */
  input?: string
  tell(progress: Progress): void
  /** Kills the child. */
  stop: AbortSignal
  /** Kills it, too; without them it may take what it needs. */
  limits?: ChildLimits
}

interface ChildLimits {
  memoryBytesMax: number
  /** Longest time without a word, computing or asleep; a process that waits for a busy processor is not blamed. */
  silentMs: number
  /** The same for all of its work. */
  wholeMs: number
}

/**
 * Runs a child process that was written with {@link runAsChild}.
 *
 * @returns what it made, or how it was killed.
 * @throws OperatorError with the fault that it tells.
 */
export async function runChild<Progress, Made>(
  command: readonly string[],
  { env, input = '', tell, stop, limits }: ChildOptions<Progress>,
): Promise<{ made: Made } | { killedBy: string }> {
  const child = Bun.spawn([...command], {
    env,
    stdin: new TextEncoder().encode(input),
    stdout: 'pipe',
    stderr: 'pipe',
    signal: stop,
    killSignal: 'SIGKILL',
  })
  const said = new Response(child.stderr).text()
  const watch = limits && watchChild(child, limits)
  let last: Line<Progress, Made> | undefined
  try {
    for await (const line of readLines<Line<Progress, Made>>(child.stdout)) {
      last = line
      watch?.hear()
      if ('progress' in line) tell(line.progress)
    }
    await child.exited
  } finally {
    watch?.end()
    child.kill('SIGKILL')
  }
  const code = child.exitCode
  if (watch?.reason !== undefined) return { killedBy: watch.reason }
  if (last && 'made' in last && code === 0) return last
  if (last && 'fault' in last) throw new OperatorError(last.fault)
  return { killedBy: `${child.signalCode ?? code}: ${(await said).slice(0, 500)}` }
}

/** Memory and silence are looked at so often, in ms. */
const WATCH_MS = 250

/** A tick of the kernel's clock, in ms. */
const TICK_MS = 10

/** Holds a child to its limits. Time is counted in looks, so none is blamed for time in which this process was frozen. */
function watchChild(child: Subprocess, { memoryBytesMax, silentMs, wholeMs }: ChildLimits) {
  let reason: string | undefined
  let [silent, whole, ticks] = [0, 0, 0]
  const kill = (why: string): void => {
    reason ??= why
    child.kill('SIGKILL')
  }
  const watch = setInterval(() => {
    const state = readProcessState(child.pid)
    const worked = state ? TICK_MS * (state.cpuTicks - ticks) : 0
    const passed = !state || (state.isAsleep && worked === 0) || state.isStopped ? WATCH_MS : worked
    ticks = state?.cpuTicks ?? ticks
    silent += passed
    whole += passed
    if (state && state.residentBytes > memoryBytesMax)
      kill(`it used more than ${Math.round(memoryBytesMax / 1e6)} MB of memory`)
    else if (silent > silentMs) kill(`it did nothing for ${Math.round(silentMs / 1000)} seconds`)
    else if (whole > wholeMs) kill(`it took more than ${Math.round(wholeMs / 60_000)} minutes`)
  }, WATCH_MS)
  return {
    hear() {
      silent = 0
    },
    end: () => clearInterval(watch),
    get reason() {
      return reason
    },
  }
}

async function* readLines<Value>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Value> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Value
  }
}

/** Progress is told at most so often, in ms. */
const TOLD_MS = 200
/** How often a child looks whether its caller is still there. */
const LOOK_MS = 1_000

/**
 * Does the work of a child process, and writes what becomes of it.
 *
 * @param niceness 19 lets everything else go first, even for minutes.
 * @param caller the process that waits for it: without that nobody would write down what becomes of the work.
 */
export async function runAsChild<Progress extends { step?: string }, Made>(
  caller: number,
  work: (tell: (progress: Progress) => void, stop: AbortSignal) => Promise<Made>,
  explain: (error: unknown) => string,
  niceness: number = constants.priority.PRIORITY_LOW,
): Promise<void> {
  // Ctrl+C and process managers signal the whole group; the caller decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  // Searches come first.
  giveWay(niceness)
  const orphan = new AbortController()
  let toldAt = Number.NEGATIVE_INFINITY
  let step: string | undefined = ''
  const look = (): void => {
    if (process.ppid !== caller) orphan.abort(new Error('the caller has ended'))
  }
  // Work that waits for another machine tells nothing meanwhile.
  const looking = setInterval(look, LOOK_MS)
  // A caller that ends its process afterwards must not cut a long line.
  const write = (line: Line<Progress, Made>): Promise<void> =>
    new Promise((done) => process.stdout.write(`${JSON.stringify(line)}\n`, () => done()))
  try {
    const made = await work((progress) => {
      look()
      const now = systemClock.monotonic()
      if (progress.step === step && now - toldAt < TOLD_MS) return
      step = progress.step
      toldAt = now
      void write({ progress })
    }, orphan.signal)
    await write({ made })
  } catch (error) {
    await write({ fault: explain(error) })
    process.exitCode = 1
  } finally {
    clearInterval(looking)
  }
}
