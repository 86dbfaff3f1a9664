import { systemIds } from '../../../../src/core/ids.ts'
import { parseNodeCode, toBase32 } from '../../../../src/core/node-code.ts'
import type { ArrivingMoveInput } from '../../../../src/features/nodes/protocol.ts'
import type { NodeDoor } from '../../../../src/features/nodes/trust/door.ts'
import { schemaVersion } from '../../../../src/platform/db/open.ts'
import type { Ports } from '../../../../src/ports.ts'
import { version } from '../../../../src/version.ts'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'

export const KEY = 'k'.repeat(43)
export const URL_OF_TARGET = 'https://node-2.test:8443'
export const STORE = '01a21cf4-a459-73d7-961a-e9d4db4b0ab1'

/** Requests without this header came by TLS. */
const PLAIN = 'x-test-plain'

export const DOOR: NodeDoor = {
  isSecure: (request) => !request.headers.has(PLAIN),
  findPeer: (request) => request.headers.get('x-test-peer') ?? '192.0.2.1',
  readFingerprint: () => new Uint8Array(16).fill(7),
  readAddress: () => URL_OF_TARGET,
}

/** A node that takes stores of others. */
export const createTarget = (ports: Partial<Ports> = {}, settings: Record<string, string> = {}): TestApp =>
  testApp(
    { operatorKey: KEY, ids: systemIds, nodeDoor: DOOR, defer: (work) => void setImmediate(work), ...ports },
    settings,
  )

/** Makes a code. @returns it, and its secret as the source sends it. */
export async function invite(target: TestApp, purpose = 'move'): Promise<{ code: string; secret: string }> {
  const { body } = await target.call('POST', '/v1/admin/node/invites', { token: KEY, body: { for: purpose } })
  const code = String(body['code'])
  return { code, secret: toBase32(parseNodeCode(code)?.secret ?? new Uint8Array()) }
}

export function announcement(
  secret: string,
  store: Partial<ArrivingMoveInput['store']> = {},
): ArrivingMoveInput {
  return {
    ...{ code: secret, version, schema: schemaVersion, from: 'https://node-1.test' },
    store: {
      ...{
        id: STORE,
        slug: 'shop',
        name: 'A shop',
        plan: 'enterprise',
        products: 1,
        bytes: 1_000,
        models: [],
      },
      ...store,
    },
  }
}

/** A store on its way, and calls about it. */
export async function arrive(target: TestApp, store: Partial<ArrivingMoveInput['store']> = {}) {
  const { secret } = await invite(target)
  const { status, body } = await target.call('POST', '/v1/node/moves', { body: announcement(secret, store) })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const token = String(body['token'])
  const path = `/v1/node/moves/${String(body['move_id'])}`
  const call = (method: string, rest = '', options: Parameters<TestApp['call']>[2] = {}): Promise<Answer> =>
    target.call(method, path + rest, { token, ...options })
  return {
    ...{ id: String(body['move_id']), token, path, call, body },
    sendRows: (batch: number, lines: readonly object[]) =>
      call('POST', `/rows?batch=${batch}`, {
        headers: { 'content-type': 'application/x-ndjson' },
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      }),
  }
}
