import { CLI_AGENT } from '../../core/cli-agent.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { Problem } from '../../core/problem.ts'
import type { Job, JobSummary } from '../../features/catalogue/jobs/schema.ts'
import { OWN_SERVICE } from '../service/local-host.ts'

/** A token lives for five minutes. */
const TOKEN_MS = 4 * 60_000
/** How often a request is sent again that is told to wait, and the longest such wait. */
const TRIES_MAX = 20
const WAIT_SECONDS_MAX = 60
/** A shorter wait is not worth a line. */
const TOLD_SECONDS = 3
/** The pause before a stream of events is opened again. */
const PAUSE_MS = 1_000

/** The service refuses a request. */
export class ServiceRefusal extends OperatorError {
  readonly status: number
  /** The problems of a `validation_error`. */
  readonly problems: readonly Problem[]

  constructor(message: string, status: number, problems: readonly Problem[] = []) {
    super(message)
    this.status = status
    this.problems = problems
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface ServiceClient {
  /**
   * Sends a request. Waits and repeats it where the service says when to come again.
   *
   * @throws OperatorError for a refusal, or if the service does not answer; the signal's reason when it aborts.
   */
  send(method: Method, path: string, init?: RequestParts): Promise<Response>
  /** Reads a job as it is. */
  readJob(jobId: string): Promise<Job>
  /** Follows a job to its end by one request for a quarter of an hour, which spends one of the plan. */
  follow(jobId: string, tell: (job: JobSummary) => void): Promise<Job>
}

export interface RequestParts {
  headers?: Record<string, string>
  body?: Blob | FormData | string
}

/**
 * Calls a service on this machine as a store.
 *
 * @param issueToken gives a token that lives for five minutes.
 * @param stop aborts every request.
 */
export function createServiceClient(
  address: string,
  issueToken: () => Promise<string>,
  stop: AbortSignal,
): ServiceClient {
  let token: { text: string; issuedAt: number } | undefined

  async function readToken(): Promise<string> {
    if (!token || performance.now() - token.issuedAt > TOKEN_MS) {
      token = { text: await issueToken(), issuedAt: performance.now() }
    }
    return token.text
  }

  async function sendOnce(method: string, path: string, { headers, body }: RequestParts): Promise<Response> {
    const authorization = `Bearer ${await readToken()}`
    try {
      return await fetch(address + path, {
        method,
        headers: { 'user-agent': CLI_AGENT, ...headers, authorization },
        ...(body && { body }),
        signal: stop,
        ...OWN_SERVICE,
      })
    } catch (error) {
      stop.throwIfAborted()
      throw new OperatorError(`The service at ${address} does not answer: ${(error as Error).message}`)
    }
  }

  async function send(method: Method, path: string, init: RequestParts = {}): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const response = await sendOnce(method, path, init)
      if (response.ok) return response
      const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (!(waitSeconds >= 0) || tries === TRIES_MAX) throw await explainRefusal(response)
      const seconds = Math.min(waitSeconds, WAIT_SECONDS_MAX)
      if (seconds >= TOLD_SECONDS) {
        process.stderr.write(`${(await explainRefusal(response)).message}; trying again in ${seconds} s\n`)
      }
      await sleep(seconds * 1000, stop)
    }
  }

  const readJob = async (jobId: string): Promise<Job> =>
    (await (await send('GET', `/v1/jobs/${jobId}`)).json()) as Job

  return {
    send,
    readJob,
    async follow(jobId, tell) {
      for (;;) {
        const events = await send('GET', `/v1/jobs/${jobId}/events`)
        if (await readEvents(events, tell, stop)) return readJob(jobId)
        await sleep(PAUSE_MS, stop)
      }
    },
  }
}

/** Reads a stream of events to its end. @returns whether the job is over. */
async function readEvents(
  response: Response,
  tell: (job: JobSummary) => void,
  stop: AbortSignal,
): Promise<boolean> {
  let rest = ''
  let isOver = false
  try {
    for await (const piece of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(
      new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
    )) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue
        const job = JSON.parse(line.slice('data: '.length)) as JobSummary
        isOver = job.finished_at !== null
        tell(job)
      }
    }
  } catch {
    // A stream that breaks is opened again; without a service that fails with words.
    stop.throwIfAborted()
  }
  return isOver
}

async function explainRefusal(response: Response): Promise<ServiceRefusal> {
  const { error, message, details } = (await response.json().catch(() => ({}))) as {
    error?: string
    message?: string
    details?: { errors?: Problem[] }
  }
  const words = message ?? `The service answered ${response.status} ${error ?? ''}`.trim()
  return new ServiceRefusal(words, response.status, details?.errors)
}

const sleep = (ms: number, stop: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(stop.reason)
    }
    const timer = setTimeout(() => {
      stop.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (stop.aborted) end()
    stop.addEventListener('abort', end, { once: true })
  })
