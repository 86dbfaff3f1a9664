import { useState } from 'preact/hooks'
import { LANGUAGES } from '../../languages.ts'
import { applyTheme, keepView, readView, type View } from '../../look-settings.ts'
import { Choice } from '../../parts/choice.tsx'
import { t } from './texts/texts.ts'

/** A language by its own name, which its readers find in any other. */
const nameLanguage = (tag: string): string => new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag

/** How the pages look in this browser. */
export function ViewForm() {
  const [view, setView] = useState(readView)
  const [isRefused, setRefused] = useState(false)

  function keep(next: View) {
    setRefused(!keepView(next))
    setView(next)
    applyTheme(next)
    // Texts load with their pages.
    if (next.language !== view.language) location.reload()
  }
  const { language, theme } = view
  return (
    <>
      <h2>{t.view}</h2>
      <p class="muted">{t.viewHint}</p>
      <div class="pair">
        <Choice
          label={t.language}
          value={language ?? ''}
          onValue={(tag) => keep({ ...(theme && { theme }), ...(tag !== '' && { language: tag }) })}
          choices={[['', t.asBrowser], ...LANGUAGES.map((tag) => [tag, nameLanguage(tag)] as const)]}
        />
        <Choice
          label={t.theme}
          value={theme ?? ''}
          onValue={(chosen) =>
            keep({
              ...(language !== undefined && { language }),
              ...((chosen === 'light' || chosen === 'dark') && { theme: chosen }),
            })
          }
          choices={[
            ['', t.asSystem],
            ['light', t.light],
            ['dark', t.dark],
          ]}
        />
      </div>
      {isRefused && <p class="wrong">{t.viewRefused}</p>}
    </>
  )
}
