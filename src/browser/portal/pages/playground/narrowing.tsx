import type { StoreField } from '#generated/api.ts'
import { formatNumber } from '../../language.ts'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { COLORS_MAX, type Settings } from './question.ts'
import { t } from './texts/texts.ts'

/** Colours that shops have most, as hex numbers with their names. */
const SWATCHES = [
  ['#111111', t.colors.black],
  ['#ffffff', t.colors.white],
  ['#8a8a8a', t.colors.grey],
  ['#c62828', t.colors.red],
  ['#ef7d22', t.colors.orange],
  ['#f2c230', t.colors.yellow],
  ['#3c8d40', t.colors.green],
  ['#2458b8', t.colors.blue],
  ['#6f3fa0', t.colors.purple],
  ['#e88aa8', t.colors.pink],
  ['#74492c', t.colors.brown],
  ['#dcc9a6', t.colors.beige],
] as const

export interface NarrowingProps {
  settings: Settings
  onSettings(changes: Partial<Settings>): void
  fields: readonly StoreField[]
}

/** Fields of shops with few values, which serve as choices. */
const VALUES_MAX = 50
const CHOICES_MAX = 6
const OTHERS = new Set(['category', 'category_path', 'name', 'description', 'price', 'sale_price', 'colors'])

const isChoice = ({ field, type, values }: StoreField): boolean =>
  !OTHERS.has(field) &&
  (type === 'text' || type === 'boolean' || type === 'list') &&
  values.length > 1 &&
  values.length <= VALUES_MAX

const listValues = ({ values }: StoreField): [string, string][] => [
  ['', t.any],
  ...values.map(({ value, count }): [string, string] => [
    String(value),
    `${typeof value === 'boolean' ? t.yesNo[String(value) as 'true' | 'false'] : value} (${formatNumber(count)})`,
  ]),
]

/** Wanted colours, and the fields of the store with the values that it has. */
export function Narrowing({ settings, onSettings, fields }: NarrowingProps) {
  const category = fields.find(({ field }) => field === 'category')
  const price = fields.find(({ field, type }) => field === 'price' && type === 'number')
  const choices = fields.filter(isChoice).slice(0, CHOICES_MAX)
  return (
    <>
      <Colors colors={settings.colors} onColors={(colors) => onSettings({ colors })} />
      {category && category.values.length > 1 && (
        <Choice
          label={t.category}
          value={settings.category}
          onValue={(value) => onSettings({ category: value })}
          choices={listValues(category)}
        />
      )}
      {price && (
        <div class="range">
          {(['priceMin', 'priceMax'] as const).map((name) => (
            <Field
              key={name}
              label={t[name]}
              type="number"
              min="0"
              step="any"
              placeholder={String((name === 'priceMin' ? price.min : price.max) ?? '')}
              value={settings[name]}
              onValue={(value) => onSettings({ [name]: value })}
            />
          ))}
        </div>
      )}
      <div class="fields">
        {choices.map((field) => (
          <Choice
            key={field.field}
            label={t.fieldNames[field.field as keyof typeof t.fieldNames] ?? field.field}
            value={settings.values[field.field] ?? ''}
            onValue={(value) => onSettings({ values: { ...settings.values, [field.field]: value } })}
            choices={listValues(field)}
          />
        ))}
      </div>
    </>
  )
}

function Colors({ colors, onColors }: { colors: readonly string[]; onColors(colors: string[]): void }) {
  const toggle = (hex: string) =>
    onColors(colors.includes(hex) ? colors.filter((one) => one !== hex) : [...colors, hex])
  const names = new Map<string, string>(SWATCHES)
  const others = colors.filter((hex) => !names.has(hex))
  const isFull = colors.length >= COLORS_MAX
  return (
    <fieldset class="swatches">
      <legend>{t.wantedColors}</legend>
      {[...SWATCHES, ...others.map((hex) => [hex, hex] as const)].map(([hex, name]) => (
        <button
          key={hex}
          type="button"
          title={name}
          aria-label={name}
          aria-pressed={colors.includes(hex)}
          disabled={isFull && !colors.includes(hex)}
          onClick={() => toggle(hex)}
        >
          <svg width="24" height="24" aria-hidden="true">
            <circle cx="12" cy="12" r="11" fill={hex} />
          </svg>
        </button>
      ))}
      <label class="own-color">
        {t.ownColor}
        <input
          type="color"
          disabled={isFull}
          onChange={({ currentTarget }) =>
            !colors.includes(currentTarget.value) && toggle(currentTarget.value)
          }
        />
      </label>
    </fieldset>
  )
}
