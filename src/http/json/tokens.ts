export const QUOTE = 0x22
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const BACKSLASH = 0x5c
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const LINE_FEED = 0x0a

/** The first code that a string may hold unescaped (RFC 8259 §7). */
export const FIRST_PRINTABLE = 0x20

/** Bytes that end a number or a word, and with which no value begins. */
export const ENDS: readonly number[] = [COMMA, COLON, CLOSE_LIST, CLOSE_OBJECT]

/** White space (RFC 8259 §2). */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === LINE_FEED || byte === 0x0d
