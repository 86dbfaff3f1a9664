import { useId } from 'preact/hooks'

/** A share between 0 and 1 that is chosen by sliding. */
export function Slider({
  label,
  value,
  onValue,
  shown,
  hint,
  step = 0.01,
}: {
  label: string
  value: number
  onValue(value: number): void
  /** The value as people read it. */
  shown: string
  hint?: string | undefined
  step?: number
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label} <output for={id}>{shown}</output>
      </label>
      <input
        id={id}
        type="range"
        min="0"
        max="1"
        step={step}
        value={value}
        aria-valuetext={shown}
        onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
      />
      {hint !== undefined && (
        <p class="hint" aria-live="polite">
          {hint}
        </p>
      )}
    </div>
  )
}
