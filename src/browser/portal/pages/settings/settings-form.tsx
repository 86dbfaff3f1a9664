import { useState } from 'preact/hooks'
import type { OwnStore, StoreSettings } from '#generated/api.ts'
import { call, readVersion, type Versioned } from '../../api/client.ts'
import { Check } from '../../parts/check.tsx'
import { Choice } from '../../parts/choice.tsx'
import { NotSaved, type Shown } from '../../parts/conflict.tsx'
import { Field } from '../../parts/field.tsx'
import { SaveLine } from '../../parts/save-line.tsx'
import { useSending } from '../../parts/use-sending.ts'
import { loadMe } from '../../shell/me.ts'
import { type Draft, toDraft, toPatch } from './draft.ts'
import { t } from './texts/texts.ts'

/** All settings of the store in one form with one button: only what was changed is sent. */
export function SettingsForm({ store, settings }: { store: OwnStore; settings: Versioned<StoreSettings> }) {
  const [{ value: saved, version }, setSaved] = useState(settings)
  const [savedName, setSavedName] = useState(store.name)
  const [name, setName] = useState(store.name)
  const [draft, setDraft] = useState<Draft>(() => toDraft(settings.value))
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useSending()
  const patch = toPatch(saved, draft)
  const isChanged = Object.keys(patch).length > 0 || name.trim() !== savedName

  function change(changes: Partial<Draft>) {
    setDone(false)
    setDraft({ ...draft, ...changes })
  }

  /** @param ifMatch the version that may be overwritten. */
  async function save(ifMatch: string | null) {
    if (name.trim() !== savedName) {
      const renamed = await call('PATCH /v1/store', { body: { name: name.trim() } })
      setSavedName(renamed.name)
      setName(renamed.name)
      await loadMe(store.slug)
    }
    if (Object.keys(patch).length > 0) {
      await call('PATCH /v1/store/settings', { body: patch, ifMatch })
      const after = await readVersion('GET /v1/store/settings')
      setSaved(after)
      setDraft(toDraft(after.value))
    }
    setDone(true)
  }

  const text = (
    field: TextField,
    more: { hint?: string; type?: string; step?: string; min?: string; max?: string } = {},
  ) => (
    <Field
      label={t.fields[field]}
      value={draft[field]}
      onValue={(value) => change({ [field]: value })}
      {...more}
    />
  )

  return (
    <form
      class="form settings-form"
      onSubmit={(event) => {
        event.preventDefault()
        run(() => save(version))
      }}
    >
      <h2>{t.shop}</h2>
      <Field
        label={t.name}
        value={name}
        maxLength={100}
        required
        onValue={(value) => {
          setDone(false)
          setName(value)
        }}
      />
      {text('shop_url', { type: 'url' })}
      <Choice
        label={t.fields.shop_system}
        value={draft.shop_system}
        onValue={(shop_system) => change({ shop_system })}
        choices={t.systems}
      />
      {text('product_url_template', { hint: t.templateHint })}
      <div class="field-row">
        {text('currency', { hint: t.currencyHint })}
        {text('locale', { hint: t.localeHint })}
        {text('time_zone', { hint: t.zoneHint })}
      </div>
      <h2>{t.search}</h2>
      <p class="muted">{t.searchHint}</p>
      <div class="field-row">
        {text('threshold', { hint: t.thresholdHint, ...SHARE })}
        {text('category_boost', { hint: t.boostHint, ...SHARE, max: '0.5' })}
      </div>
      <Choice
        label={t.fields.cutoff}
        value={draft.cutoff}
        onValue={(cutoff) => change({ cutoff })}
        choices={t.cutoffs}
      />
      <Choice
        label={t.fields.second_look}
        value={draft.second_look}
        onValue={(second_look) => change({ second_look })}
        choices={t.secondLooks}
      />
      <h2>{t.mails}</h2>
      <Choice
        label={t.fields.weekly_mail}
        value={draft.weekly_mail}
        onValue={(weekly_mail) => change({ weekly_mail })}
        choices={t.weeklyMails}
      />
      <h2>{t.pictures}</h2>
      <Check checked={draft.thumbnails} onChange={(thumbnails) => change({ thumbnails })}>
        {t.thumbnails}
      </Check>
      {saved.thumbnails && !draft.thumbnails && <p class="note">{t.thumbnailsGone}</p>}
      <Check
        checked={draft.unmatched_thumbnails}
        onChange={(unmatched_thumbnails) => change({ unmatched_thumbnails })}
      >
        {t.unmatched}
      </Check>
      {text('duplicate_threshold', { hint: t.duplicatesHint, ...SHARE })}
      {text('private_metadata', { hint: t.privateHint })}
      <NotSaved
        {...{ error, isBusy }}
        before={show(saved)}
        load={async (signal) => show(await call('GET /v1/store/settings', { signal }))}
        onSave={(present) => run(() => save(present))}
      />
      <SaveLine label={t.save} canSave={!isBusy && isChanged} done={isDone && !isChanged && t.saved} />
    </form>
  )
}

/** The settings as texts by their labels, to tell what somebody else has changed. */
function show(settings: StoreSettings): Shown {
  const { thumbnails, unmatched_thumbnails, ...texts } = toDraft(settings)
  const fields = Object.entries(texts).map(([name, text]) => [t.fields[name as TextField], text])
  const asWord = (isOn: boolean) => (isOn ? t.on : t.off)
  return {
    ...Object.fromEntries(fields),
    [t.thumbnails]: asWord(thumbnails),
    [t.unmatched]: asWord(unmatched_thumbnails),
  }
}

type TextField = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never
}[keyof Draft]

const SHARE = { type: 'number', step: 'any', min: '0', max: '1' }
