import { useId } from 'preact/hooks'

/** Something that is on or off, with what it does. */
export function Switch({
  label,
  hint,
  isOn,
  isFixed = false,
  onChange,
}: {
  label: string
  hint?: string
  isOn: boolean
  /** It cannot be changed now; the hint says why. */
  isFixed?: boolean
  onChange(isOn: boolean): void
}) {
  const id = useId()
  return (
    <div class="switch">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        disabled={isFixed}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
