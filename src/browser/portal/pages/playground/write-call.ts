/** One call in the words of no language. */
export interface DescribedCall {
  method: 'GET' | 'POST'
  address: string
  /** Sent as JSON; null for a form with the photo, and for GET. */
  body: Record<string, unknown> | null
  /** Fields of a form beside the photo. */
  form: readonly (readonly [string, string])[] | null
}

/** Writes a text in single quotes, as a shell, PHP and a script read it. Only in a script may it not run over lines. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const quoteForScript = (text: string): string => quote(text).replaceAll('\n', '\\n').replaceAll('\r', '\\r')

function writeCurl({ address, body, form }: DescribedCall): string {
  const parts = [`curl ${quoteForShell(address)}`, `-H "Authorization: Bearer $TOKEN"`]
  if (body) parts.push(`-H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(body))}`)
  // `-F` would send the file that a value such as `@notes.txt` names.
  if (form)
    parts.push(
      '-F image=@photo.jpg',
      ...form.map(([name, value]) => `--form-string ${quoteForShell(`${name}=${value}`)}`),
    )
  return parts.join(' \\\n  ')
}

function writeScript({ method, address, body, form }: DescribedCall): string {
  const lines = form
    ? [
        'const form = new FormData()',
        "form.set('image', photo)",
        ...form.map(([name, value]) => `form.set(${quoteForScript(name)}, ${quoteForScript(value)})`),
      ]
    : []
  const headers = `authorization: \`Bearer \${token}\`${body ? ", 'content-type': 'application/json'" : ''}`
  lines.push(`const response = await fetch(${quoteForScript(address)}, {`)
  if (method === 'POST') lines.push("  method: 'POST',")
  lines.push(`  headers: { ${headers} },`)
  if (body) lines.push(`  body: JSON.stringify(${JSON.stringify(body)}),`)
  if (form) lines.push('  body: form,')
  return [...lines, '})', 'const { results } = await response.json()'].join('\n')
}

function writePhp({ method, address, body, form }: DescribedCall): string {
  const fields = (form ?? []).map(([name, value]) => `${quote(name)} => ${quote(value)}`)
  return [
    `$curl = curl_init(${quote(address)});`,
    'curl_setopt_array($curl, [',
    ...(method === 'POST' ? ['  CURLOPT_POST => true,'] : []),
    '  CURLOPT_RETURNTRANSFER => true,',
    `  CURLOPT_HTTPHEADER => ["Authorization: Bearer $token"${body ? ", 'Content-Type: application/json'" : ''}],`,
    ...(body ? [`  CURLOPT_POSTFIELDS => ${quote(JSON.stringify(body))},`] : []),
    ...(form
      ? [`  CURLOPT_POSTFIELDS => [${["'image' => new CURLFile('photo.jpg')", ...fields].join(', ')}],`]
      : []),
    ']);',
    "$results = json_decode(curl_exec($curl), true)['results'];",
  ].join('\n')
}

/** By the language of the code. */
export const WRITERS: Readonly<Record<string, (call: DescribedCall) => string>> = {
  curl: writeCurl,
  JavaScript: writeScript,
  PHP: writePhp,
}
