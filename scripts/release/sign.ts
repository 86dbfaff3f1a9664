import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSignature, readReleaseKey } from '../../src/commands/upgrade/minisign.ts'
import { type Keys, type Release, ReleaseError } from './demands.ts'

const SUMS = 'SHA256SUMS'

/** Writes the SHA-256 of every file, and a signature over them, which is then checked as `lookalike upgrade` checks it. */
export async function signRelease({ folder, version, commit, key }: Release, keys: Keys): Promise<void> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  const lines: string[] = []
  for (const name of names) lines.push(`${await hashFile(join(folder, name))}  ${name}\n`)
  const path = join(folder, SUMS)
  writeFileSync(path, lines.join(''))
  const comment = `lookalike ${version}, commit ${commit.hash}`
  // It asks for the password of the key itself.
  const words = ['minisign', '-S', '-s', keys.secret, '-m', path, '-t', comment]
  const { exitCode } = Bun.spawnSync(words, { stdio: ['inherit', 'ignore', 'inherit'] })
  if (exitCode !== 0) throw new ReleaseError('minisign did not sign')
  checkSignature(await Bun.file(path).bytes(), await Bun.file(`${path}.minisig`).text(), readReleaseKey(key))
  console.log(`${names.length} files, signed with ${readReleaseKey(key).id}`)
}

async function hashFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const piece of Bun.file(path).stream()) hash.update(piece)
  return hash.digest('hex')
}
