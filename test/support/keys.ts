import { PERMISSIONS } from '../../src/core/actor.ts'
import type { TestApp } from './app.ts'

/** Makes an API key with every permission, which works on when the clock has moved on by days. */
export async function foreverKey(app: TestApp, token: string): Promise<string> {
  const scopes: Record<string, string[]> = {}
  for (const permission of PERMISSIONS) {
    const [resource = '', action = ''] = permission.split(':')
    scopes[resource] = [...(scopes[resource] ?? []), action]
  }
  const { body } = await app.call('POST', '/v1/security/api-keys', { token, body: { name: 'tests', scopes } })
  return String(body['key'])
}
