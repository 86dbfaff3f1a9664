import type { StoreSettings, StoreSettingsPatch } from '#generated/api.ts'

/** The settings as the form holds them: what was typed, also where it is no number yet. */
export interface Draft {
  shop_url: string
  shop_system: string
  product_url_template: string
  currency: string
  locale: string
  time_zone: string
  threshold: string
  cutoff: string
  category_boost: string
  second_look: string
  duplicate_threshold: string
  private_metadata: string
  weekly_mail: string
  thumbnails: boolean
  unmatched_thumbnails: boolean
}

const asText = (value: string | number | boolean | null): string => (value === null ? '' : String(value))

export function toDraft(settings: StoreSettings): Draft {
  const { search_defaults } = settings
  return {
    shop_url: asText(settings.shop_url),
    shop_system: asText(settings.shop_system),
    product_url_template: asText(settings.product_url_template),
    currency: asText(settings.currency),
    locale: asText(settings.locale),
    time_zone: settings.time_zone,
    threshold: asText(search_defaults.threshold),
    cutoff: asText(search_defaults.cutoff),
    category_boost: asText(search_defaults.category_boost),
    second_look: asText(search_defaults.second_look),
    duplicate_threshold: asText(settings.duplicate_threshold),
    private_metadata: settings.private_metadata.join(', '),
    weekly_mail: asText(settings.weekly_mail),
    thumbnails: settings.thumbnails,
    unmatched_thumbnails: settings.unmatched_thumbnails,
  }
}

const textOrNull = (text: string): string | null => text.trim() || null
const flagOrNull = (text: string): boolean | null => (text === '' ? null : text === 'true')
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** How a field of the form becomes a part of the change. */
const WRITE: { [Name in keyof Draft]: (value: Draft[Name]) => StoreSettingsPatch } = {
  shop_url: (text) => ({ shop_url: textOrNull(text) }),
  shop_system: (text) => ({ shop_system: textOrNull(text) as StoreSettings['shop_system'] }),
  product_url_template: (text) => ({ product_url_template: textOrNull(text) }),
  currency: (text) => ({ currency: textOrNull(text) }),
  locale: (text) => ({ locale: textOrNull(text) }),
  time_zone: (text) => ({ time_zone: textOrNull(text) }),
  threshold: (text) => ({ search_defaults: { threshold: numberOrNull(text) } }),
  cutoff: (text) => ({
    search_defaults: { cutoff: textOrNull(text) as StoreSettings['search_defaults']['cutoff'] },
  }),
  category_boost: (text) => ({ search_defaults: { category_boost: numberOrNull(text) } }),
  second_look: (text) => ({ search_defaults: { second_look: flagOrNull(text) } }),
  duplicate_threshold: (text) => ({ duplicate_threshold: numberOrNull(text) }),
  private_metadata: (text) => ({
    private_metadata: [...new Set(text.split(',').map((key) => key.trim()))].filter(Boolean),
  }),
  weekly_mail: (text) => ({ weekly_mail: flagOrNull(text) }),
  thumbnails: (thumbnails) => ({ thumbnails }),
  unmatched_thumbnails: (unmatched_thumbnails) => ({ unmatched_thumbnails }),
}

/** Says only what the person has changed: what somebody else changed meanwhile stays. */
export function toPatch(before: StoreSettings, draft: Draft): StoreSettingsPatch {
  const shown = toDraft(before)
  const patch: StoreSettingsPatch = {}
  for (const name of Object.keys(WRITE) as (keyof Draft)[]) {
    if (shown[name] === draft[name]) continue
    const { search_defaults, ...part } = (WRITE[name] as (value: Draft[typeof name]) => StoreSettingsPatch)(
      draft[name],
    )
    Object.assign(patch, part)
    if (search_defaults) patch.search_defaults = { ...patch.search_defaults, ...search_defaults }
  }
  return patch
}
