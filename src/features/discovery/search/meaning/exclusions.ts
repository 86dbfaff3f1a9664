import { SHADE_WORDS } from '../../../../core/colours/words.ts'
import { COMPARISONS } from './price-words.ts'
import { findPhrase, type Stretch, type Token } from './tokens.ts'

/** What a text wants to be without, and where it says so. */
export interface Exclusions {
  /** As the text writes it, in small letters; each once. */
  things: string[]
  stretches: Stretch[]
}

/** "Without" in English, German, French, Spanish, Italian, Dutch, Polish and Portuguese. */
export const WITHOUT: ReadonlySet<string> = new Set('without ohne sans sin senza zonder bez sem'.split(' '))

const ARTICLES: ReadonlySet<string> = new Set(
  (
    'a an the any der die das den dem ein eine einen einem le la les l un une du de des d el los las unos unas il lo i gli ' +
    'het een geen o os as um uma'
  ).split(' '),
)
/** Words that join one thing to another. */
const JOINTS: ReadonlySet<string> = new Set(
  'and or und oder et ou ni y o e en of i lub ani noch nor'.split(' '),
)
/** Words with which a text goes on. */
const ENDS: ReadonlySet<string> = new Set(
  'for with in fur mit aus pour avec para con per voor met dla z com but aber mais pero ma maar ale mas'.split(
    ' ',
  ),
)

const THINGS_MAX = 5
/** "without long sleeves". */
const THING_WORDS_MAX = 2

/**
 * Reads what a text wants to be without: "dress without sleeves", "Tasse ohne Henkel und Deckel". The word without a thing behind it
 * is a word like others.
 *
 * @param isTaken whether a token belongs to something else.
 */
export function readExclusions(
  text: string,
  tokens: readonly Token[],
  isTaken: (at: number) => boolean,
): Exclusions {
  const things = new Set<string>()
  const stretches: Stretch[] = []
  for (let at = 0; at < tokens.length && things.size < THINGS_MAX; at++) {
    if (!WITHOUT.has(tokens[at]?.text ?? '') || isTaken(at)) continue
    let end = at + 1
    for (let next = end; things.size < THINGS_MAX; ) {
      const thing = readThing(tokens, next, isTaken)
      if (!thing) break
      things.add(text.slice(tokens[thing.from]?.from, tokens[thing.to - 1]?.to).toLowerCase())
      end = thing.to
      if (!JOINTS.has(tokens[end]?.text ?? '') && tokens[end]?.text !== ',') break
      next = end + 1
      if (WITHOUT.has(tokens[next]?.text ?? '')) next++
    }
    if (end > at + 1) stretches.push({ from: at, to: end })
    at = end - 1
  }
  return { things: [...things], stretches }
}

function readThing(
  tokens: readonly Token[],
  start: number,
  isTaken: (at: number) => boolean,
): Stretch | undefined {
  let from = start
  while (from < start + 2 && ARTICLES.has(tokens[from]?.text ?? '')) from++
  let to = from
  for (let words = 0; words < THING_WORDS_MAX; words++) {
    const next = endOfWord(tokens, to, isTaken)
    if (next === to) break
    // "ohne Ärmel rot": a colour behind it belongs to the rest.
    if (words > 0 && SHADE_WORDS.has(tokens[to]?.text ?? '')) break
    to = next
  }
  return to > from ? { from, to } : undefined
}

/** The token behind a word with its hyphens; the same where none begins. */
function endOfWord(tokens: readonly Token[], at: number, isTaken: (at: number) => boolean): number {
  const first = tokens[at]
  if (!first || first.kind === 'sign' || isTaken(at)) return at
  const { text } = first
  const isEnd = ENDS.has(text) || JOINTS.has(text) || WITHOUT.has(text)
  if (isEnd || findPhrase(tokens, at, COMPARISONS)) return at
  let to = at + 1
  while (tokens[to]?.isGlued && tokens[to]?.text !== ',' && !isTaken(to)) to++
  return to
}
