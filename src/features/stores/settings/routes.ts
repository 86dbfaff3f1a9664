import { Elysia } from 'elysia'
import { jsonBody } from '../../../http/body.ts'
import { FOR_STORE, failures, JSON_BODY, READING, WRITING } from '../../../http/failures.ts'
import type { Guards } from '../../../http/guards.ts'
import { CHANGED_SINCE, IF_MATCH, readIfMatch, withVersion } from '../../../http/if-match.ts'
import type { OwnSettingsService } from './own-settings.ts'
import { SettingsPatch, StoreSettings } from './schema.ts'

/** Routes for the settings of a store (contract 4.13). */
export function settingsRoutes(
  { forStoreSettings }: Pick<Guards, 'forStoreSettings'>,
  settings: OwnSettingsService,
) {
  return new Elysia({ name: 'settings.routes', prefix: '/v1/store/settings', tags: ['Store'] })
    .use(forStoreSettings)
    .get('', ({ actor, set }) => withVersion(set, settings.show(actor.storeId), settings.tagOf), {
      can: 'security:manage',
      response: { 200: StoreSettings, ...failures(...FOR_STORE, ...READING) },
      detail: {
        operationId: 'getStoreSettings',
        summary: 'Read the settings of the store',
        description: 'Everything that a store can set itself, with the defaults that apply.',
      },
    })
    .patch(
      '',
      async ({ actor, body, request, set }) =>
        withVersion(set, await settings.change(actor, body, readIfMatch(request)), settings.tagOf),
      {
        can: 'security:manage',
        parse: jsonBody(),
        body: SettingsPatch,
        response: { 200: StoreSettings, ...failures(...FOR_STORE, ...WRITING, ...JSON_BODY, CHANGED_SINCE) },
        detail: {
          operationId: 'updateStoreSettings',
          summary: 'Change settings of the store',
          description:
            'Absent fields stay as they are, and an unknown one is refused. `null` sets the default, or switches a feature off. A `product_url_template` may name only keys that some product of the store has, once it has products.',
          parameters: [IF_MATCH],
        },
      },
    )
}
