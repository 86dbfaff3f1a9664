import { formatShare } from '../../language.ts'
import { t } from './texts/texts.ts'

/** How much of something is used: a figure, a bar and the limit in words. */
export function Meter({
  label,
  value,
  max,
  format,
}: {
  label: string
  value: number
  /** Null for no limit. */
  max: number | null
  format(value: number): string
}) {
  return (
    <div class="meter">
      <p class="label">{label}</p>
      <p class="figure">{format(value)}</p>
      {max !== null && <progress value={Math.min(value, max)} max={Math.max(max, 1)} aria-label={label} />}
      <p class="muted">
        {max === null ? t.unlimited : t.share(format(max), formatShare(max > 0 ? value / max : 1))}
      </p>
    </div>
  )
}
