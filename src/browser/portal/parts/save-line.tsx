interface SaveLineProps {
  /** What the button says. */
  label: string
  /** Whether there is something to save, and nothing is being saved. */
  canSave: boolean
  /** What is said once everything is saved; false before. */
  done: string | false
}

/** The end of a form that stays on the page after it was saved. */
export const SaveLine = ({ label, canSave, done }: SaveLineProps) => (
  <p class="actions">
    <button type="submit" class="primary" disabled={!canSave}>
      {label}
    </button>
    <span role="status" class="muted">
      {done}
    </span>
  </p>
)
