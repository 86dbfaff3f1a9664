import type { Install } from '../install.ts'
import { createCapture } from '../platform/db/store-move/capture.ts'
import { createMoveDigest } from '../platform/db/store-move/digest.ts'
import { createMoveReader } from '../platform/db/store-move/reading.ts'
import type { Ports } from '../ports.ts'
import type { CatalogueWing } from './catalogue.ts'

/** Builds what notes, reads and sums up the rows of stores that move. */
export function wireMoveRows(
  {
    foundation: {
      base: { db },
      secretBox,
    },
    delivery: { webhooks },
  }: Pick<Install, 'foundation' | 'delivery'>,
  { jobFiles }: Pick<Ports, 'jobFiles'>,
  { feeds }: Pick<CatalogueWing, 'feeds'>,
) {
  const reader = createMoveReader(db, {
    open(storeId, table, row, sealed) {
      if (table === 'feeds') return feeds.service.openCredentials(String(row['id']), sealed)
      const { owner, number } = row
      return webhooks.service.secrets.open(storeId, String(owner), { number: Number(number), sealed })
    },
    openFactor: (userId, sealed) => secretBox.open(sealed, userId),
    readJobContent(jobId, offset, bytes) {
      const content = jobFiles.readNow(jobId, offset, bytes)
      return content && new TextDecoder().decode(content)
    },
  })
  return { capture: createCapture(db), reader, digest: createMoveDigest(reader) }
}
