/** Picks the fields of a form that differ from what it started from, so that a change leaves the others alone. */
export function pickChanges<Fields extends object>(before: Partial<Fields>, after: Fields): Partial<Fields> {
  const changes: Partial<Fields> = {}
  for (const name of Object.keys(after) as (keyof Fields)[])
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) changes[name] = after[name]
  return changes
}
