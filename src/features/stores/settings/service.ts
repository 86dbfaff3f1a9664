import { BoundedMap } from '../../../core/bounded-map.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import { FACTS, type Facts, findConflicts, NO_FACTS, readFacts } from './facts.ts'
import type { SettingsQueries } from './queries.ts'
import { createAddressFiller, createFillFacts, type FillFacts } from './result-facts.ts'
import type { OwnSettings, SettingsPatch } from './schema.ts'
import { createStoreDays } from './store-days.ts'

export interface SettingsDeps extends Pick<Base, 'clock'> {
  queries: SettingsQueries
}

/** Stores whose settings are kept in memory. */
const KNOWN_MAX = 1_000

/** The defaults, which hold until a store sets something else. */
export const DEFAULT_SETTINGS: OwnSettings = {
  // Measured by scripts/model/duplicates.ts; the contract has the figures.
  duplicate_threshold: 0.96,
  private_metadata: [],
  event_switches: { reembedding: false, restore: false, demo: false },
  feed_mapping: null,
  thumbnails: true,
  hidden: [],
  unmatched_thumbnails: false,
  weekly_mail: null,
  sold_out: null,
  search_defaults: { threshold: null, cutoff: null, category_boost: null, second_look: null, learn: null },
  ...NO_FACTS,
}

interface Known {
  settings: OwnSettings
  fillFacts: FillFacts | undefined
}

export type SettingsService = ReturnType<typeof settingsService>

/** The settings of stores (contract 4.13). */
export function settingsService(deps: SettingsDeps) {
  const { queries, clock } = deps
  const days = createStoreDays({ queries })

  /** Nothing but this process changes settings while a service runs. */
  const known = new BoundedMap<string, Known>(KNOWN_MAX)

  function find(storeId: string): Known {
    const kept = known.get(storeId)
    if (kept) return kept
    const settings = merge(DEFAULT_SETTINGS, queries.find(storeId))
    const found = { settings, fillFacts: createFillFacts(settings) }
    known.set(storeId, found)
    return found
  }

  const read = (storeId: string): OwnSettings => find(storeId).settings

  return {
    /** For other features. The object is shared: it must not be changed. */
    read,

    /** Finds the function that fills in a store's facts in its results; undefined if there is nothing to fill in. */
    findFillFacts: (storeId: string): FillFacts | undefined => find(storeId).fillFacts,

    /**
     * Reads a template for the addresses of a store's products as if it were the setting.
     *
     * @returns the address of a product; undefined if the product lacks one of the keys.
     * @throws ApiError `validation_error`.
     */
    readTemplate(storeId: string, template: string) {
      const { facts, problems } = readFacts({ product_url_template: template })
      if (problems.length > 0) throw validationError(problems)
      const tried = { ...read(storeId), ...facts }
      const conflicts = findConflicts(tried)
      if (conflicts.length > 0) throw validationError(conflicts)
      return createAddressFiller(tried) ?? (() => undefined)
    },

    /** The day of a store on which a moment falls. */
    dayOf: days.dayOf,

    /** Whether settings that come from elsewhere, and have the right shape, are such as a store could have saved here. */
    couldSave(settings: SettingsPatch): boolean {
      const { facts, problems } = readFacts(settings)
      const isRead = FACTS.every((name) => settings[name] === undefined || settings[name] === facts[name])
      return problems.length === 0 && isRead && findConflicts(merge(DEFAULT_SETTINGS, settings)).length === 0
    },

    forgetStore(storeId: string): void {
      known.delete(storeId)
      days.forgetStore(storeId)
    },

    /** Writes changed settings, in the caller's transaction, and returns them; `forgetStore` makes them known. */
    save(storeId: string, patch: SettingsPatch): OwnSettings {
      const before = read(storeId)
      const changed = merge(before, patch)
      const conflicts = findConflicts(changed)
      if (conflicts.length > 0) throw validationError(conflicts)
      queries.save(storeId, changed, clock.now())
      if (changed.time_zone !== before.time_zone)
        days.change(storeId, changed.time_zone ?? 'UTC', clock.now())
      return changed
    },
  }
}

/** Puts a patch, or what a store has saved, over settings. */
function merge(base: OwnSettings, patch: SettingsPatch): OwnSettings {
  const { duplicate_threshold, private_metadata, feed_mapping, thumbnails, unmatched_thumbnails } = patch
  const { weekly_mail = base.weekly_mail } = patch
  return {
    duplicate_threshold: duplicate_threshold === undefined ? base.duplicate_threshold : duplicate_threshold,
    private_metadata: private_metadata === undefined ? base.private_metadata : [...new Set(private_metadata)],
    event_switches: mergeFields(base.event_switches, patch.event_switches),
    feed_mapping: feed_mapping === undefined ? base.feed_mapping : feed_mapping,
    thumbnails: thumbnails ?? base.thumbnails,
    hidden: patch.hidden === undefined ? base.hidden : [...new Set(patch.hidden)],
    unmatched_thumbnails: unmatched_thumbnails ?? base.unmatched_thumbnails,
    weekly_mail,
    sold_out: patch.sold_out === undefined ? base.sold_out : patch.sold_out,
    search_defaults: mergeFields(base.search_defaults, patch.search_defaults),
    ...mergeFields(pickFacts(base), patch as Partial<Facts>),
  }
}

const pickFacts = (settings: OwnSettings): Facts =>
  Object.fromEntries(FACTS.map((name) => [name, settings[name]])) as unknown as Facts

/** Takes the fields of the base alone. */
function mergeFields<Fields extends object>(base: Fields, patch: Partial<Fields> = {}): Fields {
  const merged = { ...base }
  for (const name of Object.keys(base) as (keyof Fields)[]) {
    const value = patch[name]
    if (value !== undefined) merged[name] = value
  }
  return merged
}
