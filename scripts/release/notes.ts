import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReleaseKey } from '../../src/commands/upgrade/minisign.ts'
import type { Release } from './demands.ts'
import type { Executable } from './executables.ts'
import type { Package } from './packages.ts'

/** What was tried of each target, in the words of the table. */
const STATES: Readonly<Record<string, string>> = {
  'linux-x64': 'run: the smoke test of this release',
  'linux-arm64': 'built; earlier builds were run under QEMU',
  'darwin-arm64': 'built, not run',
}

/** Writes the notes of the release: what is in the folder, how to check it, and what the changelog says. */
export async function writeNotes(
  release: Release,
  executables: readonly Executable[],
  packages: readonly Package[],
): Promise<void> {
  const { folder, version, commit, changes, key } = release
  const rows = executables.map(
    ({ name, target, bytes, glibc }) =>
      `| \`${name}\` | ${(bytes / 1_000_000).toFixed(0)} MB | ${glibc ? `glibc ${glibc} or newer` : 'macOS'} | ${STATES[target.name] ?? 'built, not run'} |`,
  )
  const others = packages.map(({ name, meaning }) => `| \`${name}\` | ${meaning} |`)
  const text = `# Lookalike ${version}

Commit ${commit.hash} of ${commit.date}.

| Executable | Size | Needs | State |
| --- | --- | --- | --- |
${rows.join('\n')}

| File | What it is |
| --- | --- |
${others.join('\n')}
| \`*.cdx.json\` | the bill of materials of each executable (CycloneDX) |
| \`openapi.json\`, \`guide/\`, \`widget/\` | the document of the API, the guide as pages, the files of the widget |
| \`LICENCES.txt\`, \`CHANGELOG.md\` | the licences of everything inside, the changes of every version |
| \`SHA256SUMS\`, \`SHA256SUMS.minisig\` | the hash of every file, and the signature |

## Check what you have downloaded

\`\`\`sh
minisign -Vm SHA256SUMS -P ${key}
sha256sum --check --ignore-missing SHA256SUMS
\`\`\`

The key is ${readReleaseKey(key).id}. \`lookalike upgrade\` checks both by itself. A build of the same commit with the same key gives the same executables, byte for byte:
\`bun scripts/release.ts ${version}\` in a checkout.

${linkToGuide(changes.text)}
`
  writeFileSync(join(folder, 'NOTES.md'), text)
}

/** The links of a page of the guide, from the folder of the release. */
const linkToGuide = (text: string): string => text.replace(/\]\(([\w-]+)\.md(?=[#)])/g, '](guide/$1.html')
