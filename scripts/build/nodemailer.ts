import type { Swap } from './loaders.ts'

/**
 * Leaves out what the program does not use of nodemailer: its mails have no attachments, and go over a connection of ours to
 * the server that the settings name.
 */
export const NODEMAILER_SWAPS: readonly Swap[] = [
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
]
