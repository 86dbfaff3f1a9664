/** Our mark: two overlapping rings on green. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0b6e5f" />
    <circle cx="13" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3" />
    <circle cx="19" cy="16" r="7" fill="none" stroke="#fff" stroke-width="3" stroke-opacity=".65" />
  </svg>
)
