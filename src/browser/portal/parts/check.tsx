import type { ComponentChildren } from 'preact'

/** A box to tick, with what it means behind it. */
export const Check = ({
  checked,
  onChange,
  disabled = false,
  children,
}: {
  checked: boolean
  onChange(checked: boolean): void
  disabled?: boolean
  children: ComponentChildren
}) => (
  <label class="check">
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>{children}</span>
  </label>
)
