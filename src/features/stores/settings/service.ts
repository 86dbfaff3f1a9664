import type { Actor } from '../../../core/actor.ts'
import { type Atomically, describeAct, type RecordEvent } from '../../../core/audit.ts'
import type { Clock } from '../../../core/clock.ts'
import type { SettingsQueries } from './queries.ts'
import type { OwnSettings, SettingsPatch, StoreSettings } from './schema.ts'

export interface SettingsDeps {
  queries: SettingsQueries
  clock: Clock
  atomically: Atomically
  record: RecordEvent
  /** The end of the secret that signs callbacks; null until there is one. */
  findCallbackSecretHint(storeId: string): string | null
}

/** Stores whose settings are kept in memory. */
const KNOWN_MAX = 1_000

/** What holds until a store sets something else. */
export const DEFAULT_SETTINGS: OwnSettings = {
  // Measured by scripts/model/duplicates.ts; the contract has the figures.
  duplicate_threshold: 0.96,
  private_metadata: [],
  event_switches: { reembedding: false, restore: false, demo: false },
  feed_mapping: null,
  unmatched_thumbnails: false,
  search_defaults: { threshold: null, cutoff: null, category_boost: null },
}

export type SettingsService = ReturnType<typeof settingsService>

/** The settings of stores (contract 4.13). */
export function settingsService(deps: SettingsDeps) {
  const { queries, clock, atomically, record, findCallbackSecretHint } = deps

  /** Nothing but this process changes settings while a service runs. */
  const known = new Map<string, OwnSettings>()

  function read(storeId: string): OwnSettings {
    const found = known.get(storeId) ?? merge(DEFAULT_SETTINGS, queries.find(storeId))
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(storeId, found)
    return found
  }

  const toView = (storeId: string, settings: OwnSettings): StoreSettings => ({
    ...settings,
    callback_secret_hint: findCallbackSecretHint(storeId),
  })

  return {
    /** For other features. The object is shared: it must not be changed. */
    read,

    forgetStore: (storeId: string): void => void known.delete(storeId),

    /** GET /v1/store/settings. */
    show: (storeId: string): StoreSettings => toView(storeId, read(storeId)),

    /** PATCH /v1/store/settings. */
    change(actor: Actor, patch: SettingsPatch): StoreSettings {
      const { storeId } = actor
      const settings = atomically(() => {
        const changed = merge(read(storeId), patch)
        queries.save(storeId, changed, clock.now())
        record(describeAct(actor, 'store.settings_changed', { fields: listFields(patch) }))
        return changed
      })
      known.delete(storeId)
      return toView(storeId, settings)
    },
  }
}

/** Puts a patch, or what a store has saved, over settings. Unknown fields are left out. */
function merge(base: OwnSettings, patch: SettingsPatch): OwnSettings {
  const { duplicate_threshold, private_metadata, feed_mapping, unmatched_thumbnails } = patch
  return {
    duplicate_threshold: duplicate_threshold === undefined ? base.duplicate_threshold : duplicate_threshold,
    private_metadata: private_metadata === undefined ? base.private_metadata : [...new Set(private_metadata)],
    event_switches: mergeFields(base.event_switches, patch.event_switches),
    feed_mapping: feed_mapping === undefined ? base.feed_mapping : feed_mapping,
    unmatched_thumbnails: unmatched_thumbnails ?? base.unmatched_thumbnails,
    search_defaults: mergeFields(base.search_defaults, patch.search_defaults),
  }
}

/** Takes the fields of the base alone. */
function mergeFields<Fields extends object>(base: Fields, patch: Partial<Fields> = {}): Fields {
  const merged = { ...base }
  for (const name of Object.keys(base) as (keyof Fields)[]) {
    const value = patch[name]
    if (value !== undefined) merged[name] = value
  }
  return merged
}

const listFields = (patch: SettingsPatch): string[] =>
  Object.keys(DEFAULT_SETTINGS).filter((name) => patch[name as keyof SettingsPatch] !== undefined)
