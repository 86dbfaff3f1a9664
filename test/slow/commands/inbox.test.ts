import { afterAll, beforeAll, expect, test } from 'bun:test'
import { withInstall } from '../../../src/commands/service/with-install.ts'
import { loadConfig } from '../../../src/config.ts'
import { type Install, newInstall, newStore, runCommand } from '../../robustness/service.ts'

let install: Install

beforeAll(async () => {
  install = await newInstall()
  await withInstall(loadConfig({}, { 'data-dir': install.dataDir }), ({ webhooks }) =>
    webhooks.sendCallback(install.storeId, {
      ...{ jobId: 'a job', url: 'https://shop.test/done', event: 'job.completed', data: { total: 3 } },
    }),
  )
}, 60_000)
afterAll(() => install.remove())

test('lookalike inbox shows headers and body of the only store', async () => {
  const text = await runCommand(install.dataDir, 'inbox')
  expect(text).toContain('job.completed  pending')
  expect(text).toContain('POST https://shop.test/done')
  expect(text).toMatch(/X-Webhook-Signature: sha256=[0-9a-f]{64}/)
  expect(text).toContain('"data":{"total":3}')
}, 60_000)

test('lookalike inbox --json prints the entries, and --store names one of several', async () => {
  await newStore(install.dataDir, 'second@shop.test')
  expect(JSON.parse(await runCommand(install.dataDir, 'inbox', '--store', 'robust', '--json'))).toMatchObject(
    [{ event: 'job.completed', state: 'pending', webhook_id: 'a job' }],
  )
  await expect(runCommand(install.dataDir, 'inbox')).rejects.toThrow('Name one of the stores with --store')
  await expect(runCommand(install.dataDir, 'inbox', '--store', 'none')).rejects.toThrow('There is no store')
}, 60_000)
