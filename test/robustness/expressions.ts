/** A regular expression of the sources. */
export interface Expression {
  source: string
  flags: string
  /** The file in which it stands, from the folder of the sources. */
  path: string
}

/** What may stand before a division; behind anything else a slash begins an expression. */
const ENDS_OPERAND = /[\w$)\]}'"`]$/
/** Words that look like the end of an operand. */
const KEYWORD = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete|await|yield|throw|new)$/
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/y
const STRING = /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"/y

/** Finds the expressions of a TypeScript source, also those within templates. */
export function findExpressions(path: string, text: string): Expression[] {
  // Without comments and types.
  const code = new Bun.Transpiler({ loader: 'ts' }).transformSync(text)
  const found: Expression[] = []
  /** For each template that is open: how many braces are open within its `${`. */
  const templates: number[] = []
  let before = ''
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(code)
  }
  /** Goes on to the end of a template's text or to its next `${`. */
  const skipTemplate = (): void => {
    for (; at < code.length; at++) {
      if (code[at] === '\\') at++
      else if (code[at] === '`') {
        templates.pop()
        before = '`'
        at++
        return
      } else if (code.startsWith('${', at)) {
        at += 2
        before = ''
        return
      }
    }
  }
  while (at < code.length) {
    const char = code[at] as string
    if (char === "'" || char === '"') {
      at += take(STRING)?.[0].length ?? 1
      before = "'"
    } else if (char === '`') {
      templates.push(0)
      at++
      skipTemplate()
    } else if (char === '/' && (!ENDS_OPERAND.test(before) || KEYWORD.test(before))) {
      const literal = take(LITERAL)
      if (!literal) throw new Error(`${path}: a slash that begins nothing at ${code.slice(at, at + 60)}`)
      found.push({ path, source: literal[1] as string, flags: literal[2] as string })
      at += literal[0].length
      before = ')'
    } else {
      at++
      const depth = templates.at(-1)
      if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1
      if (depth !== undefined && char === '}') {
        if (depth === 0) {
          skipTemplate()
          continue
        }
        templates[templates.length - 1] = depth - 1
      }
      if (/\s/.test(char)) continue
      // A word is looked at as a whole, with what stands before it.
      const gap = /\s/.test(code[at - 2] ?? '') && /[\w$]/.test(char) ? ' ' : ''
      before = (before + gap + char).slice(-12)
    }
  }
  return found
}

/** A character of each kind that an escape stands for. */
const ESCAPES: Readonly<Record<string, readonly string[]>> = {
  s: [' ', '\n', '\t'],
  S: ['x'],
  d: ['1'],
  D: ['x'],
  w: ['a', '1', '_'],
  W: [' ', '!'],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
  b: [],
  B: [],
  p: ['e', 'É', '́', '\u0001', '’', '1', '文'],
  P: ['e', ' '],
}

/** The characters that an expression names, those of ranges by their ends. A dot and a `[^…]` name any. */
export function listCharacters({ source }: Expression): string[] {
  const found = new Set<string>()
  const bare = source
    .replace(/\(\?<?[=!]|\(\?(?::|<\w+>)|\{\d*,?\d*\}/g, '')
    .replace(/\\u\{?([0-9a-f]{1,6})\}?|\\x([0-9a-f]{2})/gi, (_, long: string, short: string) => {
      const code = Number.parseInt(long ?? short, 16)
      found.add(String.fromCodePoint(code))
      return ''
    })
    .replace(/\\([pP])\{[^}]*\}|\\c[A-Z]|\\k<\w+>/g, (whole, kind?: string) => {
      if (kind) for (const char of ESCAPES[kind] ?? []) found.add(char)
      return whole.startsWith('\\p') ? '' : ''
    })
  for (let at = 0; at < bare.length; at++) {
    const char = bare[at] as string
    if (char === '\\') {
      const escaped = bare[++at] as string
      for (const each of ESCAPES[escaped] ?? [escaped]) found.add(each)
    } else if (char === '.' || char === '^') {
      found.add('x')
    } else if (!'()|*+?$[]'.includes(char)) found.add(char)
  }
  return [...found]
}
