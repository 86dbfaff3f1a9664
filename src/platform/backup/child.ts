import { constants, setPriority } from 'node:os'
import { systemClock } from '../../core/clock.ts'
import { OperatorError } from '../../core/operator-error.ts'

/** A line that a child process writes. */
type Line<Progress, Made> = { progress: Progress } | { made: Made } | { fault: string }

interface ChildOptions<Progress> {
  env: Record<string, string>
  /** What the child reads, such as secrets: the command line is for everyone to see. */
  input?: string
  tell(progress: Progress): void
  /** Kills the child. */
  stop: AbortSignal
}

/**
 * Runs a child process that was written with {@link runAsChild}.
 *
 * @returns what it made, or how it was killed.
 * @throws OperatorError with the fault that it tells.
 */
export async function runChild<Progress, Made>(
  command: readonly string[],
  { env, input = '', tell, stop }: ChildOptions<Progress>,
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
  let last: Line<Progress, Made> | undefined
  for await (const line of readLines<Line<Progress, Made>>(child.stdout)) {
    last = line
    if ('progress' in line) tell(line.progress)
  }
  const code = await child.exited
  if (last && 'made' in last && code === 0) return last
  if (last && 'fault' in last) throw new OperatorError(last.fault)
  return { killedBy: `${child.signalCode ?? code}: ${(await said).slice(0, 500)}` }
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
 * @param caller the process that waits for it: without that nobody would write down what becomes of the work.
 */
export async function runAsChild<Progress extends { step?: string }, Made>(
  caller: number,
  work: (tell: (progress: Progress) => void, stop: AbortSignal) => Promise<Made>,
  explain: (error: unknown) => string,
): Promise<void> {
  // Ctrl+C and process managers signal the whole group; the caller decides when this process ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  // Searches come first.
  setPriority(constants.priority.PRIORITY_LOW)
  const orphan = new AbortController()
  let toldAt = Number.NEGATIVE_INFINITY
  let step: string | undefined = ''
  const look = (): void => {
    if (process.ppid !== caller) orphan.abort(new Error('the caller has ended'))
  }
  // Work that waits for another machine tells nothing meanwhile.
  const looking = setInterval(look, LOOK_MS)
  const write = (line: Line<Progress, Made>): void => void process.stdout.write(`${JSON.stringify(line)}\n`)
  try {
    const made = await work((progress) => {
      look()
      const now = systemClock.monotonic()
      if (progress.step === step && now - toldAt < TOLD_MS) return
      step = progress.step
      toldAt = now
      write({ progress })
    }, orphan.signal)
    write({ made })
  } catch (error) {
    write({ fault: explain(error) })
    process.exitCode = 1
  } finally {
    clearInterval(looking)
  }
}
