import type { Doors } from '../../../http/doors.ts'
import type { Ground, Module } from '../../module.ts'
import { settingsQueries } from './queries.ts'
import { settingsRoutes } from './routes.ts'
import { type SettingsDeps, type SettingsService, settingsService } from './service.ts'

/** Wires the settings of stores. */
export function buildSettings(ground: Ground, needs: Pick<SettingsDeps, 'findCallbackSecretHint'>) {
  const service = settingsService({ ...ground, ...needs, queries: settingsQueries(ground.db) })
  return {
    service,
    routes: (doors: Doors) => settingsRoutes(doors, service),
    forgetStore: service.forgetStore,
  } satisfies Module<SettingsService>
}
