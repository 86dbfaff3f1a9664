import { MINUTE_MS } from '../../../core/clock.ts'
import type { Guards } from '../../../http/guards.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Base, Module } from '../../module.ts'
import { createLinks } from './links.ts'
import { weeklyMailQueries } from './queries.ts'
import { weeklyMailRoutes } from './routes.ts'
import { type WeeklyMailDeps, type WeeklyMailService, weeklyMailService } from './service.ts'

export interface WeeklyMailNeeds
  extends Pick<WeeklyMailDeps, 'storeRows' | 'people' | 'outbox' | 'analytics' | 'readSettings'> {
  secretBox: SecretBox
}

/**
 * Wires the weekly mail to owners. `facts.ts` gathers the week from the analytics, `mail.ts` puts it into the words of
 * `texts/`. A row for each store says on which Monday it was last looked at, in the transaction that stores the mails, so none is
 * written twice. The link that ends the mails holds store and person, sealed.
 */
export function buildWeeklyMail(base: Base, { secretBox, ...needs }: WeeklyMailNeeds) {
  const service = weeklyMailService({
    ...base,
    ...needs,
    queries: weeklyMailQueries(base.db),
    links: createLinks(secretBox),
  })
  return {
    service,
    routes: (guards: Guards) => weeklyMailRoutes(guards, service),
    chores: [{ name: 'sending weekly mails', everyMs: 15 * MINUTE_MS, reach: 'steps', run: service.sendDue }],
  } satisfies Module<WeeklyMailService>
}
