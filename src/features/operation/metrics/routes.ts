import { Elysia } from 'elysia'
import { ApiError } from '../../../core/errors.ts'
import { documentedFailures, failures } from '../../../http/failures.ts'
import type { MetricsService } from './module.ts'

const NO_ACCESS = [
  'unauthorized',
  'The request does not come from this machine, and its bearer is not `METRICS_TOKEN`.',
] as const

/** The numbers of the node for Prometheus (contract 8.13). */
export function metricsRoutes({ mayRead, read }: MetricsService) {
  return new Elysia({ name: 'metrics.routes', tags: ['Operation'] }).get(
    '/metrics',
    async ({ request }) => {
      if (!mayRead(request)) {
        throw new ApiError(
          'unauthorized',
          'Metrics are for programs on this machine, and for those with the bearer METRICS_TOKEN',
        )
      }
      const { type, text } = await read()
      return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } })
    },
    {
      detail: {
        operationId: 'getMetrics',
        summary: 'Read the metrics of the node in the text format of Prometheus',
        description:
          'Open to programs on this machine at `localhost`; others send the bearer `METRICS_TOKEN`. A request with `Forwarded`, `Via` or `X-Forwarded-For` comes from a proxy and needs the token. No metric names a store or a person.',
        responses: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
          ...documentedFailures(failures(NO_ACCESS)),
        },
      },
    },
  )
}
