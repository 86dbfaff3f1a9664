import { expect, test } from 'bun:test'
import { healthService } from '../../../../src/features/operation/health/service.ts'
import { fakeEmbedder } from '../../../support/embedder.ts'

const broken = () => {
  throw new Error('SQLITE_READONLY: /var/lib/lookalike')
}

const service = (probes: { probeDatabase?: () => void; probeVectors?: () => void }) =>
  healthService({
    version: '1.2.3',
    schemaVersion: 4,
    embedder: fakeEmbedder(),
    probeDatabase: () => {},
    probeVectors: () => {},
    readFreeDiskShare: async () => 0.5,
    ...probes,
  })

test.each([
  ['database', { probeDatabase: broken }, 'the database cannot be written'],
  ['vectors', { probeVectors: broken }, 'the vector extension does not answer'],
] as const)(
  'a broken %s makes the service not ready by itself, in our own words',
  async (check, probes, reason) => {
    const { status, checks } = await service(probes).checkReadiness()
    expect(status).toBe('not_ready')
    expect(checks[check]).toEqual({ ok: false, reason })
    expect(Object.values(checks).filter(({ ok }) => ok)).toHaveLength(4)
  },
)
