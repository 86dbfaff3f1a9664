import type { Swap } from './loaders.ts'

const NOTHING = 'module.exports = {}\n'

/**
 * Leaves out what the program does not use of acme-client: nine tenths of a megabyte. Its requests go through an adapter of
 * ours instead of axios' own, and `platform/acme/requests.ts` writes what its two libraries of cryptography are for.
 */
export const ACME_CLIENT_SWAPS: readonly Swap[] = [
  { path: /node_modules\/acme-client\/src\/(verify|auto|crypto\/forge)\.js$/, rewrite: () => NOTHING },
  { path: /node_modules\/acme-client\/src\/logger\.js$/, rewrite: () => 'exports.log = () => {}\n' },
  { path: /node_modules\/acme-client\/src\/crypto\/index\.js$/, rewrite: renderCrypto },
  {
    // The package's bundle for Node is one file.
    path: /node_modules\/axios\/dist\/node\/axios\.cjs$/,
    rewrite: () => "module.exports = require('../../lib/axios.js').default\n",
  },
  {
    path: /node_modules\/axios\/lib\/adapters\/(http|xhr)\.js$/,
    rewrite: () => 'export default undefined\n',
  },
  {
    path: /node_modules\/axios\/lib\/adapters\/fetch\.js$/,
    rewrite: () => 'export const getFetch = () => undefined\n',
  },
  {
    // It brings the types of all files in the world.
    path: /node_modules\/form-data\/lib\/form_data\.js$/,
    rewrite: () => 'module.exports = globalThis.FormData\n',
  },
]

/** Renders the two functions that the client itself calls. */
function renderCrypto(source: string): string {
  const getJwk = /^function getJwk\([\s\S]*?\n}\n/m.exec(source)?.[0]
  if (!getJwk || !/^exports\.getPemBodyAsB64u = /m.test(source))
    throw new Error('acme-client has changed: the build does not recognise its cryptography')
  return `'use strict'
const crypto = require('crypto')
${getJwk}
exports.getJwk = getJwk
exports.getPemBodyAsB64u = (pem) =>
  Buffer.from(pem.toString().replace(/-----[^-]+-----/g, ''), 'base64').toString('base64url')
`
}
