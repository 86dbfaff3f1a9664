import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Install, newInstall, type Service, startService, until } from './service.ts'

let install: Install
let service: Service

beforeAll(async () => {
  install = await newInstall()
  service = await startService(install)
}, 60_000)
afterAll(async () => {
  await service?.crash()
  install.remove()
})

const files = () => {
  const folder = join(install.dataDir, 'bodies')
  return existsSync(folder) ? readdirSync(folder) : []
}
const send = (path: string, type: string, body: string) =>
  fetch(`${service.address}/v1/products/import${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${install.token}`, 'content-type': type },
    body,
  })

test('a killed service leaves no upload on the disk, neither a kept one nor one that it reads', async () => {
  const row = (id: number) => `${id},http://127.0.0.1:9/a.jpg,${'x'.repeat(400)}\n`
  const kept = await send('?dry_run=true', 'text/csv', `id,image,name\n${row(1)}`)
  const { upload_id } = (await kept.json()) as { upload_id: string }
  expect(files()).toHaveLength(1)

  const large = `id,image,name\n${Array.from({ length: 100_000 }, (_, n) => row(n)).join('')}`
  const reading = send('?dry_run=true', 'text/csv', large).catch(() => undefined)
  await until('the second body arrives', () => files().length === 2)
  await service.crash()
  await reading
  expect(files().length).toBeGreaterThan(0)

  service = await startService(install)
  expect(files()).toEqual([])
  const again = await send('', 'application/json', JSON.stringify({ upload_id }))
  expect(again.status).toBe(404)
}, 60_000)
