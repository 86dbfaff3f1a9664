import type { Config } from '../../config.ts'
import { systemClock as clock } from '../../core/clock.ts'
import { systemIds as ids } from '../../core/ids.ts'
import { ensureNodeCertificate } from '../../platform/nodes/certificate.ts'
import { openNodeClient } from '../../platform/nodes/client.ts'
import { readNodeSecrets } from '../../platform/nodes/secrets.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import type { Ports } from '../../ports.ts'
import { type MainListener, openNodeDoor } from './node-listener.ts'

/** The ways to other nodes, and theirs to this one. */
export function openNodes(
  config: Config,
  dataDir: string,
  { egress, ...main }: MainListener & { egress: Egress },
) {
  const { door, ...listener } = openNodeDoor(config, main, () =>
    ensureNodeCertificate(dataDir, clock.now(), ids.uuid),
  )
  const ports: Pick<Ports, 'openNode' | 'nodeDoor' | 'readNodeSecrets'> = {
    openNode: ({ url, fingerprint, token }, stop) =>
      openNodeClient({ egress, url, token, stop, fingerprint: Buffer.from(fingerprint, 'hex') }),
    nodeDoor: door,
    readNodeSecrets: () => readNodeSecrets(dataDir),
  }
  return { ...listener, ports }
}
