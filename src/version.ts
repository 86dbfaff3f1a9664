import manifest from '../package.json' with { type: 'json' }

/** Version of this program, after SemVer. */
export const version: string = manifest.version
