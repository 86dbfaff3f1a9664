/** The call that a button sends, for a shell. */
export const writeCurl = (method: string, path: string, body: Record<string, unknown>): string =>
  [
    `curl -X ${method} '${location.origin}${path}'`,
    '-H "Authorization: Bearer $TOKEN"',
    `-H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ')
