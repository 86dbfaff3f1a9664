import { useId } from 'preact/hooks'
import { Choice } from '../../parts/choice.tsx'
import { Field } from '../../parts/field.tsx'
import { Tick } from './key-step.tsx'
import type { Look } from './snippet.ts'
import { SYSTEMS, type System } from './systems.ts'
import { t } from './texts/texts.ts'

/** The languages of the widget. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt']
/** The widget's own green. */
const OUR_COLOUR = '#0b6e5f'

const nameLanguage = (tag: string): string => new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag

/** The fourth step: language and look, seen at once in the preview. */
export function LookStep({
  look,
  onLook,
  system,
}: {
  look: Look
  onLook(changes: Partial<Look>): void
  system: System
}) {
  const colour = useId()
  return (
    <>
      <h2>{t.look}</h2>
      <div class="look-fields">
        <Choice
          label={t.language}
          value={look.lang}
          onValue={(lang) => onLook({ lang })}
          choices={[['', t.asPage], ...LANGUAGES.map((tag) => [tag, nameLanguage(tag)] as const)]}
        />
        <Choice
          label={t.theme}
          value={look.theme}
          onValue={(theme) => onLook({ theme })}
          choices={[
            ['', t.themes.auto],
            ['light', t.themes.light],
            ['dark', t.themes.dark],
          ]}
        />
        <Choice
          label={t.mode}
          value={look.mode}
          onValue={(mode) => onLook({ mode })}
          choices={[
            ['', t.modes.modal],
            ['inline', t.modes.inline],
          ]}
        />
        <Choice
          label={t.place}
          value={look.attach ? 'field' : ''}
          onValue={(place) => onLook({ attach: place ? SYSTEMS[system].searchField : '' })}
          choices={[
            ['', t.places.tag],
            ['field', t.places.field],
          ]}
        />
        {look.attach && (
          <Field
            label={t.selector}
            value={look.attach}
            onValue={(attach) => onLook({ attach })}
            spellcheck={false}
            maxLength={200}
          />
        )}
        <div class="field">
          <label for={colour}>{t.colour}</label>
          <input
            id={colour}
            type="color"
            value={look.accent || OUR_COLOUR}
            aria-describedby={`${colour}-hint`}
            onInput={({ currentTarget: { value } }) => onLook({ accent: value === OUR_COLOUR ? '' : value })}
          />
          <p class="hint" id={`${colour}-hint`}>
            {t.colourHint}
          </p>
        </div>
      </div>
      <Tick
        label={t.consent}
        isOn={look.needsConsent}
        onChange={(needsConsent) => onLook({ needsConsent })}
      />
    </>
  )
}
