import { addressOf } from '../../shell/routes.ts'
import { FactsForm } from './facts-form.tsx'
import type { StepProps } from './start-page.tsx'
import { t } from './texts/texts.ts'

/** The last step: where the shop is, and the way to the widget. */
export const Shop = ({ store }: StepProps) => (
  <>
    <h1>{t.put}</h1>
    <p>{t.putHint}</p>
    <FactsForm />
    <p class="actions">
      <a class="primary" href={`/${store}/portal/widget`}>
        {t.goWidget}
      </a>
      <a href={addressOf(store, 'overview')}>{t.toOverview}</a>
    </p>
  </>
)
