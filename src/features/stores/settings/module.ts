import type { Guards } from '../../../http/guards.ts'
import type { Base, Module } from '../../module.ts'
import { type OwnSettingsDeps, type OwnSettingsService, ownSettingsService } from './own-settings.ts'
import { settingsQueries } from './queries.ts'
import { settingsRoutes } from './routes.ts'
import { type SettingsService, settingsService } from './service.ts'

/** Wires the settings of stores, which many features read. */
export function buildSettings(base: Base) {
  const service = settingsService({ ...base, queries: settingsQueries(base.db) })
  return { service, forgetStore: service.forgetStore } satisfies Module<SettingsService>
}

/** Wires the routes of the settings. They lie above webhooks, which hold a secret, and products, which have the keys. */
export function buildOwnSettings(
  base: Base,
  needs: Pick<OwnSettingsDeps, 'settings' | 'learning' | 'findCallbackSecretHint' | 'findAbsentKeys'>,
) {
  const service = ownSettingsService({ ...base, ...needs })
  return {
    service,
    routes: (guards: Guards) => settingsRoutes(guards, service),
  } satisfies Module<OwnSettingsService>
}
