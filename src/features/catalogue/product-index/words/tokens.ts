import { fold } from '../../../../core/text.ts'
import { SPELLINGS } from '../../../../core/word-keys.ts'

/** A longer word counts as its first characters (UTF-16 units). */
export const WORD_UNITS_MAX = 48

/** Takes a word: the units from `start` to `end`, valid during the call. */
export type TakeWord = (units: Uint16Array, start: number, end: number) => void

/** Folds a text as `core/text.ts` does, and quickly where it is plain ASCII, whose spaces and capitals stay. */
function foldLetters(text: string): string {
  for (let n = 0; n < text.length; n++) if (text.charCodeAt(n) > 127) return fold(text)
  return text
}

/** The small letter of an ASCII unit; others are folded already. */
const lower = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit)

const [OTHER, LETTER, JOINER, IDEOGRAPH] = [1, 2, 3, 4]

/** The kind of each UTF-16 unit, found when it is first met; 0 for not yet. */
const kinds = new Uint8Array(65_536)

const kindOf = (unit: number): number => (kinds[unit] as number) || findKind(unit)

function findKind(unit: number): number {
  const character = String.fromCharCode(unit)
  let kind = OTHER
  // Halves of surrogate pairs: the characters outside the first plane are rare letters, and signs that no product has alone.
  if (/[\p{L}\p{N}\p{Cs}]/u.test(character)) kind = LETTER
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(character)) kind = IDEOGRAPH
  if (/[-_'’‐]/.test(character)) kind = JOINER
  kinds[unit] = kind
  return kind
}

/** By letter, how people type it on other keyboards. */
const SPELLED = new Map(
  SPELLINGS.map(([letter, spelling]) => [letter.charCodeAt(0), Array.from(spelling, (c) => c.charCodeAt(0))]),
)

const run = new Uint16Array(4 * WORD_UNITS_MAX)
/** Where the parts of the run begin. */
const parts = new Uint16Array(run.length)

/** The run that is being read. Splitting is synchronous, so one is enough for all. */
let length = 0
let count = 0
let isIdeographic = false

/** Tells the words of the run, and begins a new one. */
function endRun(take: TakeWord): void {
  const [units, ends] = [length, count]
  length = 0
  count = 0
  if (units === 0) return
  if (isIdeographic) {
    for (let n = 0; n < Math.max(1, units - 1); n++) take(run, n, Math.min(units, n + 2))
    return
  }
  for (let n = 0; n < ends; n++) {
    const from = parts[n] as number
    const to = n + 1 < ends ? (parts[n + 1] as number) : units
    if (to > from) take(run, from, Math.min(to, from + WORD_UNITS_MAX))
  }
  if (ends > 1 && (parts[ends - 1] as number) < units) take(run, 0, Math.min(units, WORD_UNITS_MAX))
}

function push(unit: number): void {
  if (count === 0) parts[count++] = 0
  // The rest of a run that is longer than any word of people is left out.
  if (length < run.length) run[length++] = unit
}

/**
 * Splits a text into words, folded. What stands between hyphens or apostrophes is a word, and so is the whole without them:
 * `ab-123` gives `ab`, `123` and `ab123`, and so finds `AB123`. Scripts without spaces give each pair of characters.
 */
export function splitInto(text: string, take: TakeWord): void {
  const folded = foldLetters(text)
  for (let n = 0; n < folded.length; n++) {
    const unit = lower(folded.charCodeAt(n))
    const kind = kindOf(unit)
    if (kind === OTHER) {
      endRun(take)
      continue
    }
    if (kind === JOINER) {
      if (isIdeographic) endRun(take)
      else if (length > (parts[Math.max(0, count - 1)] as number) && count < parts.length && length > 0)
        parts[count++] = length
      continue
    }
    if (length > 0 && (kind === IDEOGRAPH) !== isIdeographic) endRun(take)
    isIdeographic = kind === IDEOGRAPH
    if (isIdeographic && length === run.length) endRun(take)
    const spelling = unit > 127 ? SPELLED.get(unit) : undefined
    if (spelling) for (const letter of spelling) push(letter)
    else push(unit)
  }
  endRun(take)
}

/** The different words of a text, in their order. */
export function listWords(text: string, max: number): string[] {
  const words = new Set<string>()
  splitInto(text, (units, start, end) => {
    if (words.size < max) words.add(String.fromCharCode(...units.subarray(start, end)))
  })
  return [...words]
}

/** FNV-1a of some units, with its bits mixed: an unsigned integer of 32 bits. */
export function hashUnits(units: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let n = start; n < end; n++) hash = Math.imul(hash ^ (units[n] as number), 0x01000193)
  return mix(hash)
}

/** A hash of 53 bits and more, in two numbers. */
export interface Print {
  hash: number
  check: number
}

/** Adds a text to a print, without case and accents. @param isLetters leaves out all that is no letter and no digit. */
export function addText(print: Print, text: string, isLetters: boolean): void {
  const folded = foldLetters(text)
  let { hash, check } = print
  for (let n = 0; n < folded.length; n++) {
    const unit = lower(folded.charCodeAt(n))
    if (isLetters && kindOf(unit) === OTHER) continue
    if (isLetters && kindOf(unit) === JOINER) continue
    hash = Math.imul(hash ^ unit, 0x01000193)
    check = Math.imul(check ^ unit, 0x5bd1e995) ^ (check >>> 15)
  }
  print.hash = hash
  print.check = check
}

export const newPrint = (): Print => ({ hash: 0x811c9dc5, check: 0x9747b28c })

/** The numbers of a print to keep: unsigned integers of 32 bits, the first one above 0. */
export const endPrint = ({ hash, check }: Print): Print => ({ hash: mix(hash) || 1, check: mix(check) })

/** The last step of MurmurHash3. */
function mix(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
