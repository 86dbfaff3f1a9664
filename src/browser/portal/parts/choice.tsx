import { useId } from 'preact/hooks'

/** One of several values, with its label. A value that is no choice is shown as itself. */
export function Choice({
  label,
  value,
  onValue,
  choices,
}: {
  label: string
  value: string
  onValue(value: string): void
  choices: readonly (readonly [value: string, label: string])[]
}) {
  const id = useId()
  const isKnown = choices.some(([one]) => one === value)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {(isKnown ? choices : [[value, value] as const, ...choices]).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
