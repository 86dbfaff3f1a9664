import { buildChangeLog } from '../features/delivery/change-log/module.ts'
import { buildWebhooks } from '../features/delivery/webhooks/module.ts'
import type { Poster } from '../platform/outbound/poster.ts'
import type { Foundation } from './foundation.ts'
import type { StoresWing } from './stores.ts'

/** Builds what tells others of changes: webhooks, callbacks, and the list of changes, whose entries webhooks read. */
export function wireDelivery(
  { base, secretBox }: Foundation,
  poster: Poster,
  { storeRows, mailOwners, settings }: StoresWing,
) {
  const webhooks = buildWebhooks(base, {
    storeRows,
    mailOwners,
    secretBox,
    poster,
    isSwitchedOn: (storeId, origin) => settings.service.read(storeId).event_switches[origin],
  })
  const changes = buildChangeLog(base, { readers: [webhooks.service.readChange] })
  return { webhooks, changes }
}
