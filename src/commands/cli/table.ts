/** Formats rows as columns, two spaces apart. @param rows the first one is the head. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(makeVisible))
  const widths = shown[0]?.map((_, n) => Math.max(...shown.map((row) => Bun.stringWidth(row[n] ?? '')))) ?? []
  return shown
    .map((row) =>
      row
        .map((cell, n) => cell + ' '.repeat((widths[n] ?? 0) - Bun.stringWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Characters that a terminal obeys, and those that turn the direction of text. */
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Writes characters that cannot be seen as their numbers, so that no name can imitate output or command a terminal. */
export const makeVisible = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
