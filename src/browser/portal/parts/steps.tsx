import { t } from '../texts/texts.ts'

const STEPS = 4

/** Where somebody is in the first run. */
export const Steps = ({ current }: { current: number }) => (
  <p class="steps">
    <span class="muted">{t.step(current, STEPS)}</span>
    <progress value={current} max={STEPS} aria-label={t.step(current, STEPS)} />
  </p>
)
