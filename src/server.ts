import { type AnyElysia, Elysia } from 'elysia'
import type { Base, Module } from './features/module.ts'
import { type Acknowledgement, acknowledgePlugin } from './http/acknowledge.ts'
import { corsPlugin } from './http/cors.ts'
import { type ErrorDeps, errorPlugin, lastResort } from './http/errors.ts'
import type { Guards } from './http/guards.ts'
import { type createIntake, intakePlugin } from './http/intake.ts'
import { listWarningsPlugin } from './http/list-warnings.ts'
import { openApiPlugin } from './http/openapi/plugin.ts'
import { createRequestCheck } from './http/request-check.ts'
import { requestLogPlugin } from './http/request-log.ts'
import { createRouteTable } from './http/route-table.ts'
import { type RequestGate, writeGatePlugin } from './http/write-gate.ts'
import { version } from './version.ts'

interface ServerParts extends Pick<Base, 'clock' | 'ids' | 'baseUrl' | 'reportFault'> {
  /** Where the node is copied, and another one may take over. */
  acknowledgement: Acknowledgement | undefined
  /** In the order of the API's document. */
  modules: readonly Module<unknown>[]
  guards: Guards
  /** Answers whether the process lives, before and without everything else. */
  liveness: AnyElysia
  intake: ReturnType<typeof createIntake>
  requestGate: RequestGate
  log: Parameters<typeof requestLogPlugin>[0]['log'] & ErrorDeps['log']
  keepCall: NonNullable<Parameters<typeof requestLogPlugin>[0]['keepCall']>
  countRequest: NonNullable<Parameters<typeof requestLogPlugin>[0]['countRequest']>
}

/** Beyond this Bun answers a bare 413. Each route refuses far less, in our own words and before it reads. */
export const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER

export type Server = ReturnType<typeof createServer>

/** Puts what every request passes before the routes of all modules. It does not listen yet. */
export function createServer(parts: ServerParts) {
  const {
    acknowledgement,
    modules,
    guards,
    liveness,
    intake,
    clock,
    ids,
    log,
    keepCall,
    countRequest,
    baseUrl,
    reportFault,
  } = parts
  // The return type ends a circle of inferred types.
  const listRoutes = (): AnyElysia['routes'] => http.routes
  const routes = createRouteTable(listRoutes)
  const requestCheck = createRequestCheck(listRoutes)
  const schemas = Object.assign({}, ...modules.map((module) => module.schemas))
  const http = new Elysia({ name: 'app', serve: { maxRequestBodySize: BODY_BYTES_MAX, ...lastResort(log) } })
    // Hooks hold for the routes after them: this one is answered without, and without a line in the log.
    .use(liveness)
    .use(requestLogPlugin({ clock, ids, version, log, keepCall, countRequest }))
    .use(corsPlugin('/v1/widget/'))
    .use(intakePlugin(intake))
    .use(writeGatePlugin(parts.requestGate))
    .use(
      errorPlugin({
        baseUrl,
        reportFault,
        log,
        listMethods: routes.listMethods,
        findNearest: routes.findNearest,
        findProblems: requestCheck.findProblems,
      }),
    )
    .use(requestCheck.plugin)
    .use(listWarningsPlugin(listRoutes))
    .use(openApiPlugin(() => ({ version, baseUrl: baseUrl(), routes: listRoutes(), schemas })))
  if (acknowledgement) http.use(acknowledgePlugin(acknowledgement))
  for (const module of modules) if (module.routes) http.use(module.routes(guards))
  return http
}
