import type { Actor } from '../../../core/actor.ts'
import { describeAct } from '../../../core/audit.ts'
import type { Problem } from '../../../core/problem.ts'
import { validationError } from '../../../http/validation.ts'
import type { Base } from '../../module.ts'
import {
  FACTS,
  type Facts,
  findConflicts,
  listTemplateKeys,
  NO_FACTS,
  readFacts,
  unknownKey,
} from './facts.ts'
import type { SettingsQueries } from './queries.ts'
import { createFillFacts, type FillFacts } from './result-facts.ts'
import type { OwnSettings, SettingsPatch, StoreSettings } from './schema.ts'

export interface SettingsDeps extends Pick<Base, 'clock' | 'atomically' | 'record'> {
  queries: SettingsQueries
  /** The end of the secret that signs callbacks; null until there is one. */
  findCallbackSecretHint(storeId: string): string | null
}

/** Finds those of some metadata keys that no product of a store has, with the key that was probably meant. */
export type FindAbsentKeys = (
  storeId: string,
  keys: readonly string[],
) => Promise<readonly { key: string; meant: string | undefined }[]>

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
  ...NO_FACTS,
}

interface Known {
  settings: OwnSettings
  fillFacts: FillFacts | undefined
}

export type SettingsService = ReturnType<typeof settingsService>

/** The settings of stores (contract 4.13). */
export function settingsService(deps: SettingsDeps) {
  const { queries, clock, atomically, record, findCallbackSecretHint } = deps

  /** Nothing but this process changes settings while a service runs. */
  const known = new Map<string, Known>()

  function find(storeId: string): Known {
    const kept = known.get(storeId)
    if (kept) return kept
    const settings = merge(DEFAULT_SETTINGS, queries.find(storeId))
    const found = { settings, fillFacts: createFillFacts(settings) }
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(storeId, found)
    return found
  }

  const read = (storeId: string): OwnSettings => find(storeId).settings

  const toView = (storeId: string, settings: OwnSettings): StoreSettings => ({
    ...settings,
    callback_secret_hint: findCallbackSecretHint(storeId),
  })

  /** @throws ApiError `validation_error` with every problem. */
  async function readPatch(
    { storeId }: Actor,
    patch: SettingsPatch,
    findAbsentKeys: FindAbsentKeys,
  ): Promise<Partial<Facts>> {
    const { facts, problems } = readFacts(patch)
    const hint = patch.callback_secret_hint
    // Whoever reads all settings may send them back.
    if (hint !== undefined && hint !== findCallbackSecretHint(storeId)) problems.push(READ_ONLY)
    const absent = await findAbsentKeys(storeId, listTemplateKeys(facts))
    problems.push(...absent.map(({ key, meant }) => unknownKey(key, meant)))
    if (problems.length > 0) throw validationError(problems)
    return facts
  }

  return {
    /** For other features. The object is shared: it must not be changed. */
    read,

    /** What fills in the facts of a store in its results; undefined where there is nothing to fill in. */
    findFillFacts: (storeId: string): FillFacts | undefined => find(storeId).fillFacts,

    forgetStore: (storeId: string): void => void known.delete(storeId),

    /** GET /v1/store/settings. */
    show: (storeId: string): StoreSettings => toView(storeId, read(storeId)),

    /** PATCH /v1/store/settings. @throws ApiError `validation_error`. */
    async change(actor: Actor, patch: SettingsPatch, findAbsentKeys: FindAbsentKeys): Promise<StoreSettings> {
      const { storeId } = actor
      const facts = await readPatch(actor, patch, findAbsentKeys)
      const settings = atomically(() => {
        // A look through the products of a large store takes a while.
        actor.demandStill()
        const changed = merge(read(storeId), { ...patch, ...facts })
        const conflicts = findConflicts(changed)
        if (conflicts.length > 0) throw validationError(conflicts)
        queries.save(storeId, changed, clock.now())
        record(describeAct(actor, 'store.settings_changed', { fields: listFields(patch) }))
        return changed
      })
      known.delete(storeId)
      return toView(storeId, settings)
    },
  }
}

const READ_ONLY: Problem = {
  ...{ in: 'body', pointer: '/callback_secret_hint', code: 'read_only' },
  message: 'is read only; POST /v1/store/callback-secret/rotate makes a new secret',
}

/** Puts a patch, or what a store has saved, over settings. */
function merge(base: OwnSettings, patch: SettingsPatch): OwnSettings {
  const { duplicate_threshold, private_metadata, feed_mapping, unmatched_thumbnails } = patch
  return {
    duplicate_threshold: duplicate_threshold === undefined ? base.duplicate_threshold : duplicate_threshold,
    private_metadata: private_metadata === undefined ? base.private_metadata : [...new Set(private_metadata)],
    event_switches: mergeFields(base.event_switches, patch.event_switches),
    feed_mapping: feed_mapping === undefined ? base.feed_mapping : feed_mapping,
    unmatched_thumbnails: unmatched_thumbnails ?? base.unmatched_thumbnails,
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

const listFields = (patch: SettingsPatch): string[] =>
  Object.keys(DEFAULT_SETTINGS).filter((name) => patch[name as keyof SettingsPatch] !== undefined)
