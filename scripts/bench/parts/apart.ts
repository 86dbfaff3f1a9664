/** A program that runs beside the bench in a process of its own, and says its result when it ends. */
export interface Apart<Result> {
  result: Promise<Result>
  /** Asks it to end; waits for nothing. */
  stop(): void
}

/**
 * Starts a script of this folder with a job.
 *
 * @returns once it is at work.
 */
export async function startApart<Job, Result>(script: string, job: Job): Promise<Apart<Result>> {
  const ready = Promise.withResolvers<void>()
  const done = Promise.withResolvers<Result>()
  // Whoever waits for the result learns of a failure; before, nobody may be waiting.
  done.promise.catch(() => {})
  const child = Bun.spawn([process.execPath, new URL(script, import.meta.url).pathname], {
    stdout: 'inherit',
    stderr: 'inherit',
    env: { ...process.env, JOB: JSON.stringify(job) },
    ipc(message: Word<Result>) {
      if ('result' in message) done.resolve(message.result)
      else ready.resolve()
    },
    onExit(_child, code) {
      process.off('exit', kill)
      const error = new Error(`${script} ended with ${code} and without a result`)
      ready.reject(error)
      done.reject(error)
    },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  await ready.promise
  return { result: done.promise, stop: () => child.send('stop') }
}

type Word<Result> = { ready: true } | { result: Result }

/**
 * The other side: does the job of this process and ends it.
 *
 * @param work calls `begin` when it is at work; the signal aborts when it is asked to end.
 */
export async function workApart<Job, Result>(
  work: (job: Job, begin: () => void, told: AbortSignal) => Promise<Result>,
): Promise<void> {
  const told = new AbortController()
  process.on('message', () => told.abort())
  const say = (word: Word<Result>) =>
    new Promise<void>((resolve) => process.send?.(word, undefined, undefined, () => resolve()))
  const job = JSON.parse(process.env['JOB'] ?? 'null') as Job
  const result = await work(job, () => void say({ ready: true }), told.signal)
  await say({ result })
  process.disconnect?.()
}
