import { CallError } from './errors.ts'

/** What a browser takes out of a path before it sends it, however it is written. The rest would name something else. */
const STEPS: ReadonlySet<string> = new Set(['', '.', '..'])

/** Fills the braces of a path and adds the query. @throws CallError `not_found` for a name that no path can hold. */
export function buildAddress(path: string, values: Readonly<Record<string, string>>, query: object): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    if (STEPS.has(value))
      throw new CallError({ code: 'not_found', status: 404, message: `Nothing has the name "${value}".` })
    return encodeURIComponent(value)
  })
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') asked.set(name, String(value))
  return asked.size > 0 ? `${filled}?${asked}` : filled
}
