import type { Commit } from '../../src/version.ts'

/** Reads the commit that a checkout is at; unknown outside a checkout, or without git. */
export function readCommit(root: string): Commit {
  const [hash, seconds] = askGit(root, 'log', '-1', '--format=%H %ct')?.split(' ') ?? []
  if (!hash || !seconds) return { hash: 'unknown', date: 'unknown' }
  const isChanged = askGit(root, 'status', '--porcelain', '--untracked-files=no') !== ''
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
  return { hash: isChanged ? `${hash}-dirty` : hash, date }
}

/** @returns undefined if git fails, or belongs to a repository around `root`. */
function askGit(root: string, ...words: string[]): string | undefined {
  try {
    const git = ['git', '-C', root]
    const top = Bun.spawnSync([...git, 'rev-parse', '--show-prefix'], { stderr: 'ignore' })
    if (top.exitCode !== 0 || top.stdout.toString().trim() !== '') return undefined
    const { exitCode, stdout } = Bun.spawnSync([...git, ...words], { stderr: 'ignore' })
    return exitCode === 0 ? stdout.toString().trim() : undefined
  } catch {
    // There is no git.
    return undefined
  }
}
