import manifest from '../package.json' with { type: 'json' }

/** SemVer version of this program. */
export const version: string = manifest.version
