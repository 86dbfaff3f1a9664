import type { Swap } from './loaders.ts'

/** Leaves out what the program does not use of some libraries: half a megabyte with its bytecode. */
export const UNUSED_SWAPS: readonly Swap[] = [
  // Mails have no attachments, and go over a connection of ours to the server that the settings name.
  {
    // Two tables of all types of files.
    path: /node_modules\/nodemailer\/dist\/esm\/mime-funcs\/mime-types\.js$/,
    rewrite: () => `export const detectMimeType = () => 'application/octet-stream'
export const detectExtension = () => 'bin'
`,
  },
  {
    // The servers of known companies, by name.
    path: /node_modules\/nodemailer\/dist\/esm\/well-known\/services\.js$/,
    rewrite: () => 'export const services = {}\n',
  },
  {
    path: /node_modules\/nodemailer\/dist\/esm\/(smtp-pool|sendmail-transport|stream-transport|json-transport|ses-transport)\/index\.js$/,
    rewrite: () => 'export default undefined\n',
  },
  {
    // Elysia looks into the files of its own type `t.File`, which `http/schema.ts` replaces. Without an answer it refuses a file.
    path: /node_modules\/file-type\/source\/index\.js$/,
    rewrite: () => 'export const fileTypeFromBlob = async () => undefined\n',
  },
  {
    // sharp reads its own version. Ranges of versions are the matter of its installation.
    path: /node_modules\/semver\/index\.js$/,
    rewrite:
      () => `module.exports = { coerce: require('./functions/coerce'), gte: require('./functions/gte') }
`,
  },
]
