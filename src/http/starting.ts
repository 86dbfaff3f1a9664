import { Elysia } from 'elysia'
import { ApiError } from '../core/errors.ts'
import { corsPlugin } from './cors.ts'
import { type ErrorDeps, errorPlugin, lastResort } from './errors.ts'
import { type RequestLogDeps, requestLogPlugin } from './request-log.ts'

/** What a service does before it can answer requests. */
export interface StartPhase {
  /** Ends a sentence such as "The service is starting: …". */
  doing: string
  /** When a client may ask again. */
  retryAfterSeconds: number
  /** What a node that waits for another one to fail tells of itself. */
  standby?: StandbyFacts
}

export interface StandbyFacts {
  /** Since when it waits, as a time in ISO 8601. */
  since: string
  /** Age of the copy that it holds, in seconds; null before the first one. */
  copy_age_seconds: number | null
  /** The epoch of the owner. */
  epoch: number
  /** Why it could not take over now, in one sentence; null if it could. */
  problem: string | null
}

export interface StartingDeps extends Omit<RequestLogDeps, 'log'> {
  log: RequestLogDeps['log'] & ErrorDeps['log']
  baseUrl(): string
  readPhase(): StartPhase
}

/** The methods of the health routes. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/**
 * Finds the path in an address, without the slash that may follow it. The address of a request without a usable host, as probes
 * with HTTP/1.0 send it, is a path, and no URL to JavaScript; Elysia looks for the path behind the eleventh character.
 */
const PATH = /^(?:https?:\/\/[^/?#]*)?([^?#]*?)\/?(?:[?#]|$)/

/** The parts that `/health/ready` reports. */
const PARTS = ['database', 'vectors', 'model', 'disk'] as const

/**
 * Answers while the service starts, so that a long migration is neither silence nor a refused connection. `/health` says
 * that the process is alive and `/health/ready` what it does; everything else answers 503, in the form of every error.
 */
export function createStartingServer({ readPhase, ...deps }: StartingDeps) {
  const { log, baseUrl } = deps
  return (
    new Elysia({ name: 'starting', serve: lastResort(log) })
      .use(requestLogPlugin(deps))
      .use(corsPlugin('/v1/widget/'))
      .use(
        errorPlugin({
          log,
          baseUrl,
          listMethods: () => [],
          findNearest: () => undefined,
          findProblems: () => undefined,
        }),
      )
      // Before the routes, because a request may use any method and any path.
      .onRequest(({ request, set }) => {
        const { doing, retryAfterSeconds, standby } = readPhase()
        const asked = READING.has(request.method) ? PATH.exec(request.url)?.[1] : undefined
        if (asked === '/health') return Response.json({ status: 'ok', starting: doing })
        const message = standby ? `This node is a standby: ${doing}` : `The service is starting: ${doing}`
        if (asked !== '/health/ready') throw new ApiError('overloaded', message, { retryAfterSeconds })
        set.headers['retry-after'] = String(retryAfterSeconds)
        const checks = Object.fromEntries(PARTS.map((part) => [part, { ok: false, reason: message }]))
        return Response.json({ status: 'not_ready', ...(standby && { standby }), checks }, { status: 503 })
      })
  )
}
