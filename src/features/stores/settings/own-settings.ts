import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import type { Problem } from '../../../core/problem.ts'
import { demandVersion, versionTag } from '../../../http/if-match.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import { type Facts, listTemplateKeys, readFacts, unknownKey } from './facts.ts'
import type { OwnSettings, SettingsPatch, StoreSettings } from './schema.ts'
import { DEFAULT_SETTINGS, type SettingsService } from './service.ts'

export interface OwnSettingsDeps extends Pick<Base, 'atomically' | 'record'> {
  settings: SettingsService
  learning: LearnSwitch
  /** The end of the secret that signs callbacks; null until there is one. */
  findCallbackSecretHint(storeId: string): string | null
  /** Finds those of some metadata keys that no product of a store has, with the key that was probably meant. */
  findAbsentKeys(
    storeId: string,
    keys: readonly string[],
  ): Promise<readonly { key: string; meant: string | undefined }[]>
}

/** What a store learns from the clicks of its shoppers. */
export interface LearnSwitch {
  /** @throws ApiError `conflict` for a store that may not learn. */
  demand(storeId: string): void
  /** Called once a store has switched it on. */
  begin(storeId: string): void
}

export type OwnSettingsService = ReturnType<typeof ownSettingsService>

/** The settings of a store as its people read and change them (contract 4.13). */
export function ownSettingsService(deps: OwnSettingsDeps) {
  const { settings, learning, findCallbackSecretHint, findAbsentKeys, atomically, record } = deps

  const toView = (storeId: string, own: OwnSettings): StoreSettings => ({
    ...own,
    callback_secret_hint: findCallbackSecretHint(storeId),
  })

  /** @throws ApiError `validation_error` with every problem. */
  async function readPatch({ storeId }: Actor, patch: SettingsPatch): Promise<Partial<Facts>> {
    const { facts, problems } = readFacts(patch)
    const hint = patch.callback_secret_hint
    // A client that reads all settings may send them back.
    if (hint !== undefined && hint !== findCallbackSecretHint(storeId)) problems.push(READ_ONLY)
    const absent = await findAbsentKeys(storeId, listTemplateKeys(facts))
    problems.push(...absent.map(({ key, meant }) => unknownKey(key, meant)))
    if (problems.length > 0) throw validationError(problems)
    return facts
  }

  return {
    /** GET /v1/store/settings. */
    show: (storeId: string): StoreSettings => toView(storeId, settings.read(storeId)),

    /** The version of settings as they were just read. */
    tagOf: (view: StoreSettings): string => versionTag(view),

    /** PATCH /v1/store/settings. @throws ApiError `validation_error`, `conflict`. */
    async change(actor: Actor, patch: SettingsPatch, ifMatch: string | null = null): Promise<StoreSettings> {
      const { storeId } = actor
      const facts = await readPatch(actor, patch)
      const learns = () => settings.read(storeId).search_defaults.learn === true
      const isNew = patch.search_defaults?.learn === true && !learns()
      if (isNew) learning.demand(storeId)
      const changed = atomically(() => {
        // The search through the products of a large store takes a while.
        actor.demandStill()
        demandVersion(ifMatch, versionTag(toView(storeId, settings.read(storeId))))
        const saved = settings.save(storeId, { ...patch, ...facts })
        record(describeAct(actor, 'store.settings_changed', { fields: listFields(patch) }))
        return saved
      })
      settings.forgetStore(storeId)
      if (isNew) learning.begin(storeId)
      return toView(storeId, changed)
    },
  }
}

const READ_ONLY: Problem = {
  in: 'body',
  pointer: '/callback_secret_hint',
  code: 'read_only',
  message: 'is read only; POST /v1/store/callback-secret/rotate makes a new secret',
}

const listFields = (patch: SettingsPatch): string[] =>
  Object.keys(DEFAULT_SETTINGS).filter((name) => patch[name as keyof SettingsPatch] !== undefined)
