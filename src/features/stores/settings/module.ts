import type { Doors } from '../../../http/doors.ts'
import type { Base, Module } from '../../module.ts'
import { settingsQueries } from './queries.ts'
import { settingsRoutes } from './routes.ts'
import { type FindAbsentKeys, type SettingsDeps, type SettingsService, settingsService } from './service.ts'

/** Wires the settings of stores. */
export function buildSettings(base: Base, needs: Pick<SettingsDeps, 'findCallbackSecretHint'>) {
  const service = settingsService({ ...base, ...needs, queries: settingsQueries(base.db) })
  return { service, forgetStore: service.forgetStore } satisfies Module<SettingsService>
}

/** Wires what reads and changes the settings by the API: a change may look at the store's products. */
export const buildSettingsPages = (
  settings: SettingsService,
  findAbsentKeys: FindAbsentKeys,
): Module<SettingsService> => ({
  service: settings,
  routes: (doors: Doors) => settingsRoutes(doors, settings, findAbsentKeys),
})
