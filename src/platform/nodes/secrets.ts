import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NODE_FILES } from './certificate.ts'

interface SecretFile {
  name: string
  base64: string
}

const FOLDER = 'secrets'
/** Each is a key or a word. */
const FILE_BYTES_MAX = 64 * 1024
const FILES_MAX = 32
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Reads the secrets of an install, without what belongs to this machine alone. */
export async function readNodeSecrets(dataDir: string): Promise<SecretFile[]> {
  const folder = join(dataDir, FOLDER)
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => name)
  const files: SecretFile[] = []
  for (const name of names.sort().slice(0, FILES_MAX)) {
    const bytes = await readFile(join(folder, name))
    if (bytes.length <= FILE_BYTES_MAX) files.push({ name, base64: bytes.toString('base64') })
  }
  return files
}

/**
 * Writes the secrets of another node into a data folder.
 *
 * @throws Error for names or sizes that no node sends, and where a file of the name is there already with another content.
 */
export async function writeNodeSecrets(dataDir: string, files: readonly SecretFile[]): Promise<string[]> {
  const read = files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') }))
  if (
    read.length > FILES_MAX ||
    read.some(({ name, bytes }) => !isWanted(name) || bytes.length > FILE_BYTES_MAX)
  )
    throw new Error('The other node sends what are no secrets of an install')
  const folder = join(dataDir, FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const { name, bytes } of read) {
    const path = join(folder, name)
    const here = await readFile(path).catch(() => undefined)
    if (here && !here.equals(bytes))
      throw new Error(`${path} belongs to another install: name an empty data folder`)
  }
  for (const { name, bytes } of read) await writeFile(join(folder, name), bytes, { mode: 0o600 })
  return read.map(({ name }) => name)
}

const isWanted = (name: string): boolean => NAME.test(name) && !NODE_FILES.includes(name)
