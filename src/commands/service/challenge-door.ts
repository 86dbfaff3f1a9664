import type { Config } from '../../config.ts'
import { OperatorError } from '../../core/operator-error.ts'

/** Nobody has more to ask here than one line. */
const IDLE_SECONDS = 10
const BODY_BYTES_MAX = 16 * 1024

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/

type DoorSettings = Pick<Config, 'HOST' | 'HTTP_PORT' | 'DOMAIN'>

/**
 * Listens for http: tells the certificate authority what it wants to hear, and sends everybody else to https. Where they are sent
 * does not depend on the name that they asked for.
 *
 * @param answers texts by their token.
 * @param address the public address of the service.
 * @throws OperatorError in one sentence.
 */
export function openChallengeDoor(
  { HOST, HTTP_PORT }: DoorSettings,
  answers: ReadonlyMap<string, string>,
  address: string,
): () => Promise<void> {
  const target = new URL(address).origin
  try {
    const server = Bun.serve({
      hostname: HOST,
      port: HTTP_PORT,
      reusePort: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: ({ url }) => answerAt(new URL(url), answers, target),
      error: () => new Response(null, { status: 400 }),
    })
    return () => server.stop(true)
  } catch (error) {
    throw new OperatorError(`Port ${HTTP_PORT}, at which the certificate authority asks, ${explain(error)}`)
  }
}

function answerAt({ pathname, search }: URL, answers: ReadonlyMap<string, string>, target: string): Response {
  const token = CHALLENGE.exec(pathname)?.[1]
  if (token === undefined) return Response.redirect(`${target}${pathname}${search}`, 308)
  const answer = answers.get(token)
  return answer === undefined
    ? new Response('Nobody asked for this certificate.\n', { status: 404 })
    : new Response(answer, { headers: { 'content-type': 'application/octet-stream' } })
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return 'is used by another program: stop it, or let it forward to another port and name that with HTTP_PORT'
  if (code === 'EACCES')
    return 'needs the capability CAP_NET_BIND_SERVICE: "lookalike service install" gives it'
  return `cannot be had: ${message}`
}
