import manifest from '../package.json' with { type: 'json' }

/** SemVer version of this program. */
export const version: string = manifest.version

/** The commit that a build was made of. */
export interface Commit {
  /** Full hash, with `-dirty` after it where the checkout held other changes; `unknown` outside a checkout. */
  hash: string
  /** Date of the commit, YYYY-MM-DD in UTC; `unknown` outside a checkout. */
  date: string
}

/** Written into the executable by the build. */
declare const LOOKALIKE_COMMIT: Commit | undefined
declare const LOOKALIKE_RELEASE_KEY: string | undefined

/** The commit of this build; unknown where the program runs from its sources. */
export const commit: Commit =
  typeof LOOKALIKE_COMMIT === 'undefined' ? { hash: 'unknown', date: 'unknown' } : LOOKALIKE_COMMIT

/** The public key of minisign that releases are signed with, one line; undefined in a build of one's own. */
export const releaseKey: string | undefined =
  typeof LOOKALIKE_RELEASE_KEY === 'undefined' ? undefined : LOOKALIKE_RELEASE_KEY
